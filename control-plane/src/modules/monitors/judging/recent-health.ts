import { FLAP_RESULTS } from '@vantage/shared/monitor-state/flapping.js';
import type { CheckOutcome } from '@vantage/shared/monitor-state/node-reducer.js';
import type { EventType } from '../definition/event-type.js';
import type { EventSpan } from '../events/event-phases.js';
import type { Effect } from './transition.js';

const OUTCOMES: Readonly<Record<EventType, CheckOutcome>> = { down: 'failed', degraded: 'degraded' };

/** Events after effects are applied to the open one. */
export function withEffects(events: readonly EventSpan[], effects: readonly Effect[]): EventSpan[] {
  let spans = [...events];
  const end = (endedAtMs: number) => {
    spans = spans.map((span) => (span.endedAtMs === null ? { ...span, endedAtMs } : span));
  };
  for (const effect of effects) {
    if (effect.kind === 'close') end(effect.endedAtMs);
    if (effect.kind === 'change') end(effect.atMs);
    if (effect.kind === 'change') spans.push({ type: effect.type, startedAtMs: effect.atMs, endedAtMs: null });
    if (effect.kind === 'open') spans.push({ type: effect.type, startedAtMs: effect.startedAtMs, endedAtMs: null });
  }
  return spans;
}

/** Health of a monitor at the end of each of its last intervals, oldest first, as decided by all its nodes. */
export function recentHealth(events: readonly EventSpan[], intervalMs: number, nowMs: number): CheckOutcome[] {
  return Array.from({ length: FLAP_RESULTS }, (_, index) => {
    const atMs = nowMs - (FLAP_RESULTS - 1 - index) * intervalMs;
    const event = events.find(({ startedAtMs, endedAtMs }) => startedAtMs <= atMs && (endedAtMs ?? atMs + 1) > atMs);
    return event === undefined ? 'ok' : OUTCOMES[event.type];
  });
}
