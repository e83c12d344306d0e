import { type NodeState, reduceCheck, unchecked } from '@vantage/shared/monitor-state/node-reducer.js';
import type { CheckJudgment } from '@vantage/shared/monitor-types/definition.js';
import { tcp } from '@vantage/shared/monitor-types/tcp.js';
import type { ProbeResults } from '@vantage/shared/probe-types/index.js';

// A trace tells of one monitor of type tcp what its nodes met and what befell them, a line each, in the order in which the
// control plane hears of it, and what came of that:
//
//   00:01:05 a 12 ms               node a connected within 12 ms, in its slot of 00:01:05
//   00:09:00 a refused of 00:02:05 nobody listened; the result of 00:02:05 is delivered at 00:09:00
//   00:03:10 b silent again        what b delivered of that slot already comes once more

/** The rule of a monitor, as the API has it. */
export interface TraceRule {
  readonly interval_s: number;
  readonly consecutive_fail: number;
  readonly consecutive_ok: number;
  readonly fail_node_quorum: string;
  /** Settings of the type. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** What came of a trace. */
export interface TraceOutcome {
  /** When the monitor became what, and who failed though it was up. */
  readonly states: readonly string[];
  /** Its events, oldest first. */
  readonly events: readonly string[];
  /** What stands in the outbox, and when it came there. */
  readonly told: readonly string[];
}

/** A file of testdata/monitor-traces. */
export interface Trace extends TraceOutcome {
  readonly about: string;
  readonly monitor: TraceRule;
  readonly nodes: readonly string[];
  readonly steps: readonly string[];
}

/** A step: when the control plane hears of it, and what it is. */
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

/** Reads the steps of a trace; `startMs`: the instant of 00:00:00. @throws RangeError naming a line that is none */
export function parseSteps({ steps, monitor }: Trace, startMs: number): Step[] {
  return steps.map((line) => {
    const [, time = '', text = ''] = /^(\d\d:\d\d:\d\d) (.+)$/.exec(line) ?? [];
    if (text === '') throw new RangeError(`"${line}" is no step`);
    const atMs = instantOf(time, startMs);
    const [, node, what, of = time] =
      /^(\w+) (\d+ ms|refused|silent)(?: of (\d\d:\d\d:\d\d))?(?: again)?$/.exec(text) ?? [];
    if (node === undefined || what === undefined) return { atMs, text, check: null };
    const judgment = judge(what, monitor.config ?? {});
    return { atMs, text, check: { node, slotMs: instantOf(of, startMs), judgment } };
  });
}

/** Milliseconds of a time of the trace. */
export function instantOf(time: string, startMs: number): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  return startMs + ((hours * 60 + minutes) * 60 + seconds) * 1_000;
}

/** The other way round. */
export function timeOf(atMs: number, startMs: number): string {
  return new Date(atMs - startMs).toISOString().slice(11, 19);
}

/**
 * What each node says after each of its checks, by node and slot: it runs them in the order of their slots, whenever they are
 * delivered, and begins anew where it is given the monitor anew.
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

/** Where `nodeStatesOf` keeps what a node said after a slot. */
export function keyOf(node: string, slotMs: number): string {
  return `${node} ${slotMs}`;
}

/** The newest thing a node says at an instant, and of which slot; null: it has checked nothing. */
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

/** What the type makes of a connect that took so long, was refused, or was never answered. */
function judge(what: string, settings: Readonly<Record<string, unknown>>): CheckJudgment {
  const connectMs = what.endsWith(' ms') ? Number.parseInt(what, 10) : null;
  const error = { refused: refusal, silent: silence }[what] ?? null;
  const result = { success: error === null, error, connect_ms: connectMs } as ProbeResults['tcp'];
  const config = { upside_down: false, assertions: [], ...settings } as unknown as Parameters<typeof tcp.judge>[1];
  return tcp.judge(result, config);
}

const refusal = { code: 'tcp_refused', message: 'nobody listens there' } as const;
const silence = { code: 'tcp_timeout', message: 'no answer within 5000 ms' } as const;
