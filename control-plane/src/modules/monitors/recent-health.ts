import { FLAP_RESULTS } from '@vantage/shared/monitor-state/flapping.js';
import type { CheckOutcome } from '@vantage/shared/monitor-state/node-reducer.js';
import type { Effect, EventType } from './transition.js';

/** An event, or what is known of one; null: it lasts. Milliseconds since the epoch. */
export interface EventSpan {
  readonly type: EventType;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
}

const OUTCOMES: Readonly<Record<EventType, CheckOutcome>> = { down: 'failed', degraded: 'degraded' };

/** Events after what is to be written of the one that is open. */
export function withEffects(events: readonly EventSpan[], effects: readonly Effect[]): EventSpan[] {
  const closed = effects.find((effect) => effect.kind === 'close');
  const opened = effects.find((effect) => effect.kind === 'open');
  const before = events.map((event) =>
    event.endedAtMs === null && closed !== undefined ? { ...event, endedAtMs: closed.endedAtMs } : event,
  );
  if (opened === undefined) return before;
  return [...before, { type: opened.type, startedAtMs: opened.startedAtMs, endedAtMs: null }];
}

/** How a monitor was at the end of each of its last intervals, oldest first: what it comes to where several nodes check. */
export function recentHealth(events: readonly EventSpan[], intervalMs: number, nowMs: number): CheckOutcome[] {
  return Array.from({ length: FLAP_RESULTS }, (_, index) => {
    const atMs = nowMs - (FLAP_RESULTS - 1 - index) * intervalMs;
    const event = events.find(({ startedAtMs, endedAtMs }) => startedAtMs <= atMs && (endedAtMs ?? atMs + 1) > atMs);
    return event === undefined ? 'ok' : OUTCOMES[event.type];
  });
}
