import type { EventType } from '../definition/event-type.js';

// An event whose type changed in place had other types before. It keeps these types with their ends, so that uptime knows
// when the monitor was down:
//
//   type 'degraded', earlier down until 10:20      |==== down ====|==== degraded ====|
//                                               10:00           10:20              10:40

/** Type and time of an event; null if the event lasts. Milliseconds since the epoch. */
export interface EventSpan {
  readonly type: EventType;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
}

/** Earlier type of an event, as it is stored. */
export interface EarlierType {
  readonly type: EventType;
  /** End of the type, ISO 8601. */
  readonly until: string;
}

/** Types of an event with their begin and end, in order; null if the event lasts. */
export function phasesOf({
  type,
  startedAtMs,
  endedAtMs,
  earlier,
}: EventSpan & { readonly earlier: readonly EarlierType[] }): EventSpan[] {
  const phases: EventSpan[] = [];
  let fromMs = startedAtMs;
  for (const { type: before, until } of earlier) {
    // the bounds of the event may have been corrected since
    const untilMs = Math.min(Date.parse(until), endedAtMs ?? Number.POSITIVE_INFINITY);
    if (untilMs <= fromMs) continue;
    phases.push({ type: before, startedAtMs: fromMs, endedAtMs: untilMs });
    fromMs = untilMs;
  }
  if (endedAtMs === null || fromMs < endedAtMs || phases.length === 0)
    phases.push({ type, startedAtMs: fromMs, endedAtMs });
  return phases;
}

/** The type that an event had at an instant. */
export function typeAt(
  { type, earlier }: { readonly type: EventType; readonly earlier: readonly EarlierType[] },
  atMs: number,
): EventType {
  return earlier.find(({ until }) => atMs < Date.parse(until))?.type ?? type;
}
