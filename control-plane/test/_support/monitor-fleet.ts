import {
  type CheckOutcome,
  type NodeState,
  reduceCheck,
  unchecked,
} from '@vantage/shared/monitor-state/node-reducer.js';
import { judgeQuorum, parseQuorum, type Quorum, type Vote } from '@vantage/shared/monitor-state/quorum.js';
import { phaseOf } from '@vantage/shared/monitor-state/slots.js';
import { type MonitorState, transition, unknownMonitor } from '../../src/modules/monitors/transition.js';

// Monitors, their nodes and a day, without a clock: what each node sees is given, and what comes of it is told.
//
//   outages, lost uplinks, noise ──> checks in the order of their slots ──> reducer ──> quorum ──> transition ──> episodes

export const DAY_MS = 86_400_000;

/** From one instant to another, the end excluded. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What happens to one monitor in a day. */
export interface Fate {
  readonly monitorId: string;
  readonly nodeIds: readonly string[];
  readonly intervalMs: number;
  /** When the target answers nobody. */
  readonly outages: readonly Span[];
  /** When a node's own uplink is away, by node: it notices, and these slots are missed. */
  readonly lost: ReadonlyMap<string, readonly Span[]>;
  /** Whether a check fails for no reason but its own. */
  readonly isNoise: (nodeId: string, slotMs: number) => boolean;
}

/** An event as the fleet made it. */
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

/** The events of a day, as the product's own parts make them; `checks`: as they arrive. */
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
      else episodes.push({ ...(episodes.pop() as Episode), endedAtMs: effect.endedAtMs });
    }
  }
  return episodes;
}

/**
 * The same by the slowest way there is: after each check everything is read anew from all checks there have been, and the
 * monitor is down when as many nodes as are needed have failed twice in a row.
 */
export function liveNaively(fate: Fate): Episode[] {
  const byNode = new Map<string, FleetCheck[]>();
  const episodes: Episode[] = [];
  for (const check of checksOf(fate)) {
    byNode.set(check.nodeId, [...(byNode.get(check.nodeId) ?? []), check]);
    const failing = [...byNode.values()].filter(isFailing).length;
    const need = Math.max(2, Math.ceil((2 * byNode.size) / 3));
    if (byNode.size < need) continue;
    const open = episodes.at(-1);
    const isOpen = open !== undefined && open.endedAtMs === null;
    if (failing >= need && !isOpen) episodes.push({ type: 'down', startedAtMs: check.slotMs, endedAtMs: null });
    if (failing < need && isOpen) episodes.push({ ...(episodes.pop() as Episode), endedAtMs: check.slotMs });
  }
  return episodes;
}

/** Two failures in a row were the last thing but successes that never came. */
function isFailing(checks: readonly FleetCheck[]): boolean {
  const [before, last] = checks.slice(-2);
  return before?.outcome === 'failed' && last?.outcome === 'failed';
}

function votesOf(states: ReadonlyMap<string, NodeState>): Vote[] {
  return [...states].flatMap(([nodeId, { verdict, since }]) =>
    since === null ? [] : [{ nodeId, verdict, sinceMs: since }],
  );
}

function isWithin(spans: readonly Span[], instantMs: number): boolean {
  return spans.some(({ fromMs, toMs }) => fromMs <= instantMs && instantMs < toMs);
}
