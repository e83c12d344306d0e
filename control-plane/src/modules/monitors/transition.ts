import type { MonitorHealth, QuorumJudgment } from '@vantage/shared/monitor-state/quorum.js';

// What a judgment makes of a monitor and of its one open event, if there is one.
//
//   judged      no event open            'degraded' open            'down' open
//   up          -                        closed                     closed
//   degraded    degraded opens           -                          closed, degraded opens
//   down        down opens               closed, down opens         -
//   unknown     -                        held                       held
//
// Inside a maintenance window nothing opens; what is open is closed as ever. Of what was resolved by hand nothing opens until
// the monitor was up; what is worse than that opens.

/** What an event is of. API specification 2.4. */
export type EventType = 'down' | 'degraded';

/** The event of a monitor that has not ended. */
export interface OpenEvent {
  readonly type: EventType;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
}

/** What is known of a monitor. */
export interface MonitorState {
  readonly health: MonitorHealth;
  readonly event: OpenEvent | null;
  /** What the event was of that a person closed while nodes said so, and it has not been up since; null: none. */
  readonly resolved: EventType | null;
}

/** What its nodes say, and when. */
export interface Observation {
  readonly judgment: Pick<QuorumJudgment, 'health' | 'decidedAtMs' | 'failingNodes' | 'impairedNodes'>;
  readonly isInMaintenance: boolean;
  /** No event begins before: the end of the last maintenance window, or when the monitor was resumed. */
  readonly notBeforeMs: number;
}

/** What is to be written with the new state, in this order, in one transaction. */
export type Effect =
  | { readonly kind: 'close'; readonly endedAtMs: number }
  | {
      readonly kind: 'open';
      readonly type: EventType;
      readonly startedAtMs: number;
      /** Ids of the nodes that say so. */
      readonly affectedNodes: readonly string[];
    };

/** A monitor of which nothing is known yet. */
export const unknownMonitor: MonitorState = { health: 'unknown', event: null, resolved: null };

/** The state after an observation. Pure; the same observation again changes nothing. */
export function transition(
  { event, resolved }: MonitorState,
  { judgment, isInMaintenance, notBeforeMs }: Observation,
): { readonly state: MonitorState; readonly effects: readonly Effect[] } {
  const { health, decidedAtMs } = judgment;
  if (health === 'unknown' || decidedAtMs === null) {
    return { state: { health: 'unknown', event, resolved }, effects: [] };
  }
  const wanted = health === 'up' ? null : health;
  const quiet = wanted === null ? null : resolved;
  if (event?.type === wanted) return { state: { health, event, resolved: quiet }, effects: [] };
  const effects: Effect[] = [];
  // an event has no negative duration, and the next one does not begin before its end
  const atMs = Math.max(decidedAtMs, event?.startedAtMs ?? notBeforeMs);
  if (event !== null) effects.push({ kind: 'close', endedAtMs: atMs });
  if (wanted === null || isInMaintenance || quiet === 'down' || quiet === wanted) {
    return { state: { health, event: null, resolved: quiet }, effects };
  }
  const startedAtMs = Math.max(atMs, notBeforeMs);
  const affectedNodes = wanted === 'down' ? judgment.failingNodes : judgment.impairedNodes;
  effects.push({ kind: 'open', type: wanted, startedAtMs, affectedNodes });
  return { state: { health, event: { type: wanted, startedAtMs }, resolved: null }, effects };
}
