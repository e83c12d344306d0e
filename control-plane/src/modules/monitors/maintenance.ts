import { Temporal } from 'temporal-polyfill';
import type { Interval } from './uptime.js';

// When a maintenance window is. Every occurrence has the wall times of the first, in the window's zone, so that its instants
// move with the clocks. A wall time that does not exist moves forward, one that comes twice is the first of the two.
//
//   starts_at, ends_at ──in the zone──> wall times ──+ n days, weeks or months──> wall times ──> instants
//
// A month without the day has the occurrence on its last one; one whose end does not move with its beginning may be none.

/** How a window repeats. API specification 2.4. */
export type Recurrence = 'none' | 'daily' | 'weekly' | 'monthly';

/** What decides when a window is; instants in milliseconds since the epoch. */
export interface WindowTimes {
  readonly startsAtMs: number;
  /** After `startsAtMs`. */
  readonly endsAtMs: number;
  readonly recurrence: Recurrence;
  /** No occurrence begins after it; null: they never end. */
  readonly recurrenceUntilMs: number | null;
  /** IANA name. */
  readonly timezone: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** From one occurrence to the next at most, by the wall. */
const LONGEST_STEP_MS = { daily: DAY_MS, weekly: 7 * DAY_MS, monthly: 31 * DAY_MS };
/** From one occurrence to the next at least, by the wall: what is longer would not be over when the next one begins. */
const SHORTEST_STEP_MS = { none: Number.POSITIVE_INFINITY, daily: DAY_MS, weekly: 7 * DAY_MS, monthly: 28 * DAY_MS };
/** By how much a zone may be from another, and a gap or overlap long. */
const CLOCKS_MS = 48 * HOUR_MS;

/** How long an occurrence may be, milliseconds. */
export function longestOccurrenceMs(recurrence: Recurrence): number {
  return SHORTEST_STEP_MS[recurrence];
}

/** Occurrences that have a part within `range`, in their order. */
export function occurrencesWithin(window: WindowTimes, range: Interval): Interval[] {
  const found: Interval[] = [];
  for (let index = firstIndex(window, range.fromMs); ; index += 1) {
    const occurrence = occurrenceAt(window, index);
    if (occurrence === null || occurrence.fromMs >= range.toMs) return found;
    if (occurrence.toMs > range.fromMs && !isEmpty(occurrence)) found.push(occurrence);
  }
}

/** The occurrence that contains an instant; of several the one that ends last. Null: it is outside. */
export function occurrenceOf(window: WindowTimes, instantMs: number): Interval | null {
  const found = occurrencesWithin(window, { fromMs: instantMs, toMs: instantMs + 1 });
  return found.sort((a, b) => b.toMs - a.toMs)[0] ?? null;
}

/** The first occurrence that begins at `afterMs` or later; null: there is none. */
export function nextOccurrence(window: WindowTimes, afterMs: number): Interval | null {
  for (let index = firstIndex(window, afterMs); ; index += 1) {
    const occurrence = occurrenceAt(window, index);
    if (occurrence === null || (occurrence.fromMs >= afterMs && !isEmpty(occurrence))) return occurrence;
  }
}

/** The first beginning or end of an occurrence after an instant; null: there is none. */
export function nextTurn(window: WindowTimes, afterMs: number): number | null {
  const ends = occurrencesWithin(window, { fromMs: afterMs, toMs: afterMs + 1 }).map(({ toMs }) => toMs);
  const next = nextOccurrence(window, afterMs + 1);
  const turns = next === null ? ends : [...ends, next.fromMs];
  return turns.length === 0 ? null : Math.min(...turns);
}

/** When the occurrence that ended last by an instant did; null: none has. */
export function lastEnd(window: WindowTimes, instantMs: number): number | null {
  const { endsAtMs, recurrence, recurrenceUntilMs } = window;
  if (recurrence === 'none') return endsAtMs <= instantMs ? endsAtMs : null;
  const lastBeginMs = Math.min(instantMs, recurrenceUntilMs ?? instantMs);
  // of the last three that began one is over: the newest may go on, and one may be none
  const fromMs = lastBeginMs - 3 * LONGEST_STEP_MS[recurrence] - CLOCKS_MS;
  const ends = occurrencesWithin(window, { fromMs, toMs: instantMs }).map(({ toMs }) => toMs);
  return ends.filter((toMs) => toMs <= instantMs).reduce<number | null>((a, b) => Math.max(a ?? b, b), null);
}

function isEmpty({ fromMs, toMs }: Interval): boolean {
  return fromMs >= toMs;
}

/** An index whose occurrence ends before `fromMs`, or 0. */
function firstIndex({ endsAtMs, recurrence }: WindowTimes, fromMs: number): number {
  if (recurrence === 'none') return 0;
  return Math.max(0, Math.floor((fromMs - endsAtMs - CLOCKS_MS) / LONGEST_STEP_MS[recurrence]));
}

/** Null when there are no such many. */
function occurrenceAt(window: WindowTimes, index: number): Interval | null {
  const { startsAtMs, endsAtMs, recurrence, recurrenceUntilMs } = window;
  if (index === 0) return { fromMs: startsAtMs, toMs: endsAtMs };
  if (recurrence === 'none') return null;
  const first = wallTime(startsAtMs, window.timezone);
  const end = wallTime(endsAtMs, window.timezone);
  const days = first.toPlainDate().until(end.toPlainDate(), { largestUnit: 'day' }).days;
  const start = first.add(stepOf(recurrence, index));
  const fromMs = instantOf(start, window.timezone);
  if (recurrenceUntilMs !== null && fromMs > recurrenceUntilMs) return null;
  const last = start.toPlainDate().add({ days }).toPlainDateTime(end.toPlainTime());
  return { fromMs, toMs: instantOf(last, window.timezone) };
}

function stepOf(recurrence: Exclude<Recurrence, 'none'>, count: number): Temporal.DurationLike {
  switch (recurrence) {
    case 'daily':
      return { days: count };
    case 'weekly':
      return { weeks: count };
    case 'monthly':
      return { months: count };
  }
}

function wallTime(instantMs: number, timezone: string): Temporal.PlainDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(timezone).toPlainDateTime();
}

function instantOf(wall: Temporal.PlainDateTime, timezone: string): number {
  return wall.toZonedDateTime(timezone, { disambiguation: 'compatible' }).epochMilliseconds;
}
