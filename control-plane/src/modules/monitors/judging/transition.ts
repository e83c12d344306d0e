import type { MonitorHealth, QuorumJudgment } from '@vantage/shared/monitor-state/quorum.js';
import type { EventType } from '../definition/event-type.js';

// State of a monitor after a judgment, and of its open event, if it has one.
//
//   judged      no event open            'degraded' open            'down' open
//   up          -                        closed                     closed
//   degraded    degraded opens           -                          closed, degraded opens
//   down        down opens               closed, down opens         -
//   unknown     -                        held                       held
//
// Inside a maintenance window no event opens, and a change between down and degraded changes the open event in place; it is
// closed as usual when the monitor is up. At the end of the window, a type that differs from the notified one is notified.
//
// An event that a user resolved stays open until the monitor is up, and changes in place: only a type worse than the resolved
// one closes it and opens another event.

/** Event of a monitor that has not ended. */
export interface OpenEvent {
  readonly type: EventType;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** Type that was notified. */
  readonly notifiedType: EventType;
}

export interface MonitorState {
  readonly health: MonitorHealth;
  readonly event: OpenEvent | null;
  /** Type of the event when a user resolved it; null if none was resolved, or the monitor has been up since. */
  readonly resolved: EventType | null;
}

/** Judgment of a monitor with its circumstances. */
export interface Observation {
  readonly judgment: Pick<QuorumJudgment, 'health' | 'decidedAtMs' | 'failingNodes' | 'impairedNodes'>;
  readonly isInMaintenance: boolean;
  /** Earliest begin of an event: the end of the last maintenance window, or the time when the monitor was resumed. Milliseconds since the epoch. */
  readonly notBeforeMs: number;
}

/** Change to be written with the new state, in order, in one transaction. */
export type Effect =
  | { readonly kind: 'close'; readonly endedAtMs: number }
  /** Changes the type of the open event from an instant on, without a notification. */
  | {
      readonly kind: 'change';
      readonly type: EventType;
      readonly atMs: number;
      /** Ids of the nodes that say so. */
      readonly affectedNodes: readonly string[];
    }
  /** Notifies the current type of the open event. */
  | { readonly kind: 'notify'; readonly type: EventType }
  | {
      readonly kind: 'open';
      readonly type: EventType;
      readonly startedAtMs: number;
      /** Ids of the nodes that say so. */
      readonly affectedNodes: readonly string[];
    };

/** State of a monitor before its first judgment. */
export const unknownMonitor: MonitorState = { health: 'unknown', event: null, resolved: null };

/** State after an observation, and its effects. Pure; the same observation again has no effects. */
export function transition(
  { event, resolved }: MonitorState,
  { judgment, isInMaintenance, notBeforeMs }: Observation,
): { readonly state: MonitorState; readonly effects: readonly Effect[] } {
  const { health, decidedAtMs } = judgment;
  if (health === 'unknown' || decidedAtMs === null) {
    return { state: { health: 'unknown', event, resolved }, effects: [] };
  }
  const wanted = health === 'up' ? null : health;
  const affectedNodes = wanted === 'down' ? judgment.failingNodes : judgment.impairedNodes;
  // an event has no negative duration, and the next one does not begin before its end
  const atMs = Math.max(decidedAtMs, event?.startedAtMs ?? notBeforeMs);
  if (wanted === null) {
    const effects: Effect[] = event === null ? [] : [{ kind: 'close', endedAtMs: atMs }];
    return { state: { health, event: null, resolved: null }, effects };
  }
  const isKnown = resolved === 'down' || resolved === wanted;
  if (event === null && (isInMaintenance || isKnown)) return { state: { health, event, resolved }, effects: [] };
  if (event !== null && (isInMaintenance || isKnown)) {
    const effects: Effect[] = event.type === wanted ? [] : [{ kind: 'change', type: wanted, atMs, affectedNodes }];
    return { state: { health, event: { ...event, type: wanted }, resolved }, effects };
  }
  if (event?.type === wanted && resolved === null) {
    const effects: Effect[] = event.notifiedType === wanted ? [] : [{ kind: 'notify', type: wanted }];
    return { state: { health, event: { ...event, notifiedType: wanted }, resolved }, effects };
  }
  const startedAtMs = Math.max(atMs, notBeforeMs);
  const effects: Effect[] = event === null ? [] : [{ kind: 'close', endedAtMs: atMs }];
  effects.push({ kind: 'open', type: wanted, startedAtMs, affectedNodes });
  return { state: { health, event: { type: wanted, startedAtMs, notifiedType: wanted }, resolved: null }, effects };
}
