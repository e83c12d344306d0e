import {
  type CheckOutcome,
  type NodeState,
  reduceCheck,
  unchecked,
} from '@vantage/shared/monitor-state/node-reducer.js';
import { judgeQuorum, parseQuorum, type Quorum, type Vote } from '@vantage/shared/monitor-state/quorum.js';
import { phaseOf } from '@vantage/shared/monitor-state/slots.js';
import { type MonitorState, transition, unknownMonitor } from '../../src/modules/monitors/judging/transition.js';

// Monitors, their nodes and a day, without a clock: the observations of each node are given, and the resulting events
// are returned.
//
//   outages, lost uplinks, noise ──> checks in the order of their slots ──> reducer ──> quorum ──> transition ──> episodes

export const DAY_MS = 86_400_000;

/** From one instant to another, the end excluded. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The day of one monitor. */
export interface Fate {
  readonly monitorId: string;
  readonly nodeIds: readonly string[];
  readonly intervalMs: number;
  /** Periods when the target does not respond to any node. */
  readonly outages: readonly Span[];
  /** Periods when a node's own uplink is down, by node: the node notices, and these slots are missed. */
  readonly lost: ReadonlyMap<string, readonly Span[]>;
  /** True if a check fails by chance. */
  readonly isNoise: (nodeId: string, slotMs: number) => boolean;
}

/** An event as the fleet produced it. */
export interface Episode {
  readonly type: 'down' | 'degraded';
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
}

const RULE = { consecutiveFail: 2, consecutiveOk: 1 };
export const QUORUM = parseQuorum('2/3') as Quorum;

/** One check of one node. */
export interface FleetCheck {
  readonly nodeId: string;
  readonly slotMs: number;
  readonly outcome: CheckOutcome;
}

/** All checks of a day in the order of their slots. */
export function* checksOf(fate: Fate): Generator<FleetCheck> {
  const { monitorId, nodeIds, intervalMs } = fate;
  const grid = nodeIds
    .map((nodeId) => ({ nodeId, phaseMs: phaseOf(monitorId, nodeId, intervalMs) }))
    .sort((a, b) => a.phaseMs - b.phaseMs);
  for (let startMs = 0; startMs < DAY_MS; startMs += intervalMs) {
    for (const { nodeId, phaseMs } of grid) {
      const slotMs = startMs + phaseMs;
      if (isWithin(fate.lost.get(nodeId) ?? [], slotMs)) continue;
      const isFailed = isWithin(fate.outages, slotMs) || fate.isNoise(nodeId, slotMs);
      yield { nodeId, slotMs, outcome: isFailed ? 'failed' : 'ok' };
    }
  }
}

/** Events of a day, as the product's own parts produce them; `checks`: in order of arrival. */
export function live(fate: Fate, checks: Iterable<FleetCheck> = checksOf(fate)): Episode[] {
  const states = new Map<string, NodeState>();
  let monitor: MonitorState = unknownMonitor;
  const episodes: Episode[] = [];
  for (const { nodeId, slotMs, outcome } of checks) {
    const before = states.get(nodeId) ?? unchecked;
    const after = reduceCheck(before, { slot: slotMs, outcome }, RULE);
    states.set(nodeId, after);
    if (before.slot !== null && before.verdict === after.verdict) continue;
    const judgment = judgeQuorum(QUORUM, votesOf(states), fate.nodeIds.length);
    const next = transition(monitor, { judgment, isInMaintenance: false, notBeforeMs: 0 });
    monitor = next.state;
    for (const effect of next.effects) {
      if (effect.kind === 'open')
        episodes.push({ type: effect.type, startedAtMs: effect.startedAtMs, endedAtMs: null });
      if (effect.kind === 'close') episodes.push({ ...(episodes.pop() as Episode), endedAtMs: effect.endedAtMs });
    }
  }
  return episodes;
}

/**
 * The same by the slowest method: after each check the state is computed again from all checks so far, and the monitor
 * is down if the required number of nodes have failed twice in a row.
 */
export function liveNaively(fate: Fate): Episode[] {
  const byNode = new Map<string, FleetCheck[]>();
  const episodes: Episode[] = [];
  for (const check of checksOf(fate)) {
    byNode.set(check.nodeId, [...(byNode.get(check.nodeId) ?? []), check]);
    const failing = [...byNode.values()].filter(isFailing).length;
    const decided = [...byNode.values()].filter(hasDecided).length;
    const need = Math.max(2, Math.ceil((2 * decided) / 3));
    if (decided < need) continue;
    const open = episodes.at(-1);
    const isOpen = open !== undefined && open.endedAtMs === null;
    if (failing >= need && !isOpen) episodes.push({ type: 'down', startedAtMs: check.slotMs, endedAtMs: null });
    if (failing < need && isOpen) episodes.push({ ...(episodes.pop() as Episode), endedAtMs: check.slotMs });
  }
  return episodes;
}

/** True if the last two checks failed. */
function isFailing(checks: readonly FleetCheck[]): boolean {
  const [before, last] = checks.slice(-2);
  return before?.outcome === 'failed' && last?.outcome === 'failed';
}

/** True if the node has decided: it succeeded once, or made two checks. */
function hasDecided(checks: readonly FleetCheck[]): boolean {
  return checks.length > 1 || checks[0]?.outcome === 'ok';
}

function votesOf(states: ReadonlyMap<string, NodeState>): Vote[] {
  return [...states].flatMap(([nodeId, { verdict, since }]) =>
    since === null || verdict === 'undecided' ? [] : [{ nodeId, verdict, sinceMs: since }],
  );
}

function isWithin(spans: readonly Span[], instantMs: number): boolean {
  return spans.some(({ fromMs, toMs }) => fromMs <= instantMs && instantMs < toMs);
}
