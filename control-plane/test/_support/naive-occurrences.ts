import { Temporal } from 'temporal-polyfill';
import type { Interval } from '../../src/modules/monitors/definition/interval.js';
import type { Recurrence, WindowTimes } from '../../src/modules/monitors/maintenance/maintenance.js';

// Occurrences of maintenance windows by the calendar of Temporal, each computed separately and all of them: slow and
// simple.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longest time from one occurrence to the next, by wall clock. */
const LONGEST_STEP_MS = { daily: DAY_MS, weekly: 7 * DAY_MS, monthly: 31 * DAY_MS };
/** Greatest offset between zones, and greatest length of a gap or overlap. */
const CLOCKS_MS = 48 * HOUR_MS;

/** Occurrences that overlap `range`, in order. */
export function naiveOccurrences(window: WindowTimes, range: Interval): Interval[] {
  const found: Interval[] = [];
  for (let index = firstIndex(window, range.fromMs); ; index += 1) {
    const occurrence = occurrenceAt(window, index);
    if (occurrence === null || occurrence.fromMs >= range.toMs) return found;
    if (occurrence.toMs > range.fromMs && !isEmpty(occurrence)) found.push(occurrence);
  }
}

function isEmpty({ fromMs, toMs }: Interval): boolean {
  return fromMs >= toMs;
}

/** An index whose occurrence ends before `fromMs`, or 0. */
function firstIndex({ endsAtMs, recurrence }: WindowTimes, fromMs: number): number {
  if (recurrence === 'none') return 0;
  return Math.max(0, Math.floor((fromMs - endsAtMs - CLOCKS_MS) / LONGEST_STEP_MS[recurrence]));
}

/** Occurrence of an index; null if there are fewer. */
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
