import { type NodeState, reduceCheck, unchecked } from '@vantage/shared/monitor-state/node-reducer.js';
import type { CheckJudgment } from '@vantage/shared/monitor-types/definition.js';
import { tcp } from '@vantage/shared/monitor-types/tcp.js';
import type { ProbeResults } from '@vantage/shared/probe-types/index.js';

// A trace describes the observations of the nodes of one monitor of type tcp and the actions on them, a line each, in
// the order in which the control plane learns of them, and the outcome:
//
//   00:01:05 a 12 ms               node a connected within 12 ms, in its slot of 00:01:05
//   00:09:00 a refused of 00:02:05 the connection was refused; the result of 00:02:05 is delivered at 00:09:00
//   00:03:10 b silent again        the result that b delivered for that slot is delivered once more

/** Rule of a monitor, as the API has it. */
export interface TraceRule {
  readonly interval_s: number;
  readonly consecutive_fail: number;
  readonly consecutive_ok: number;
  readonly fail_node_quorum: string;
  /** Settings of the type. */
  readonly config?: Readonly<Record<string, unknown>>;
}

export interface TraceOutcome {
  /** Changes of status, each with the nodes that failed while the monitor was up. */
  readonly states: readonly string[];
  /** Events of the monitor, oldest first. */
  readonly events: readonly string[];
  /** Rows of the outbox, and the time when each was written. */
  readonly told: readonly string[];
}

/** A file of testdata/monitor-traces. */
export interface Trace extends TraceOutcome {
  readonly about: string;
  readonly monitor: TraceRule;
  readonly nodes: readonly string[];
  readonly steps: readonly string[];
}

/** A step: the time when the control plane learns of it, and its content. */
export interface Step {
  readonly atMs: number;
  readonly text: string;
  readonly check: TracedCheck | null;
}

/** A check as its node made it. */
export interface TracedCheck {
  readonly node: string;
  readonly slotMs: number;
  readonly judgment: CheckJudgment;
}

/** Reads the steps of a trace; `startMs`: the instant of 00:00:00. @throws RangeError naming a line that is invalid */
export function parseSteps({ steps, monitor }: Trace, startMs: number): Step[] {
  return steps.map((line) => {
    const [, time = '', text = ''] = /^(\d\d:\d\d:\d\d) (.+)$/.exec(line) ?? [];
    if (text === '') throw new RangeError(`"${line}" is not a step`);
    const atMs = instantOf(time, startMs);
    const [, node, what, of = time] =
      /^(\w+) (\d+ ms|refused|silent)(?: of (\d\d:\d\d:\d\d))?(?: again)?$/.exec(text) ?? [];
    if (node === undefined || what === undefined) return { atMs, text, check: null };
    const judgment = judge(what, monitor.config ?? {});
    return { atMs, text, check: { node, slotMs: instantOf(of, startMs), judgment } };
  });
}

/** Milliseconds of a time in the trace. */
export function instantOf(time: string, startMs: number): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  return startMs + ((hours * 60 + minutes) * 60 + seconds) * 1_000;
}

/** Time in the trace of an instant in milliseconds. */
export function timeOf(atMs: number, startMs: number): string {
  return new Date(atMs - startMs).toISOString().slice(11, 19);
}

/**
 * Statements of each node after each of its checks, by node and slot: a node runs them in the order of their slots,
 * regardless of delivery, and starts again when the monitor is reassigned to it.
 */
export function nodeStatesOf({ monitor, nodes }: Trace, steps: readonly Step[]): ReadonlyMap<string, NodeState> {
  const rule = { consecutiveFail: monitor.consecutive_fail, consecutiveOk: monitor.consecutive_ok };
  const states = new Map<string, NodeState>();
  for (const node of nodes) {
    const renewals = steps.filter(({ text }) => text === 'resume' || text === `${node} is assigned`);
    const checks = steps.flatMap(({ check }) => (check?.node === node ? [check] : []));
    let [state, beganMs] = [unchecked, 0];
    for (const { slotMs, judgment } of checks.sort((a, b) => a.slotMs - b.slotMs)) {
      const renewedMs = renewals.findLast(({ atMs }) => atMs <= slotMs)?.atMs ?? 0;
      if (renewedMs > beganMs) [state, beganMs] = [unchecked, renewedMs];
      state = reduceCheck(state, { slot: slotMs, outcome: judgment.outcome }, rule);
      states.set(keyOf(node, slotMs), state);
    }
  }
  return states;
}

/** Key under which `nodeStatesOf` keeps the statement of a node after a slot. */
export function keyOf(node: string, slotMs: number): string {
  return `${node} ${slotMs}`;
}

/** Newest statement of a node at an instant, and its slot; null if it has checked nothing. */
export function newestOf(
  states: ReadonlyMap<string, NodeState>,
  node: string,
  atMs: number,
): (NodeState & { readonly slot: number }) | null {
  const own = [...states].flatMap(([key, state]) =>
    key.startsWith(`${node} `) && state.slot !== null && state.slot <= atMs ? [{ ...state, slot: state.slot }] : [],
  );
  return own.sort((a, b) => b.slot - a.slot)[0] ?? null;
}

/** Result of the type for a connection that took this long, was refused, or timed out. */
function judge(what: string, settings: Readonly<Record<string, unknown>>): CheckJudgment {
  const connectMs = what.endsWith(' ms') ? Number.parseInt(what, 10) : null;
  const error = { refused: refusal, silent: silence }[what] ?? null;
  const result = { success: error === null, error, connect_ms: connectMs } as ProbeResults['tcp'];
  const config = { upside_down: false, assertions: [], ...settings } as unknown as Parameters<typeof tcp.judge>[1];
  return tcp.judge(result, config);
}

const refusal = { code: 'tcp_refused', message: 'nobody listens there' } as const;
const silence = { code: 'tcp_timeout', message: 'no answer within 5000 ms' } as const;
