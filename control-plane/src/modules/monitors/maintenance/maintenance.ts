import { type ZoneClock, zoneClock } from '@vantage/shared/zone-clock.js';
import type { Interval } from '../definition/interval.js';

// Occurrences of a maintenance window. Every occurrence has the local times of the first, in the window's zone, so that its instants
// move with the clocks. A local time that does not exist moves forward; of one that occurs twice the first counts.
//
//   starts_at, ends_at ──in the zone──> wall times ──+ n days, weeks or months──> wall times ──> instants
//
// A month without the day has the occurrence on its last day; an occurrence whose end does not move with its begin may be empty.

/** Recurrence of a window. API specification 2.4. */
export type Recurrence = 'none' | 'daily' | 'weekly' | 'monthly';

/** Times and recurrence of a window; instants in milliseconds since the epoch. */
export interface WindowTimes {
  readonly startsAtMs: number;
  /** After `startsAtMs`. */
  readonly endsAtMs: number;
  readonly recurrence: Recurrence;
  /** Instant after which no occurrence begins; null for no end. */
  readonly recurrenceUntilMs: number | null;
  /** IANA name. */
  readonly timezone: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longest time from one occurrence to the next, in local time. */
const LONGEST_STEP_MS = { daily: DAY_MS, weekly: 7 * DAY_MS, monthly: 31 * DAY_MS };
/** Shortest time from one occurrence to the next, in local time: a longer occurrence would overlap the next one. */
const SHORTEST_STEP_MS = { none: Number.POSITIVE_INFINITY, daily: DAY_MS, weekly: 7 * DAY_MS, monthly: 28 * DAY_MS };
/** Bound of the distance of two zones, and of the length of a gap or overlap. */
const CLOCKS_MS = 48 * HOUR_MS;

/** Longest occurrence, in milliseconds. */
export function longestOccurrenceMs(recurrence: Recurrence): number {
  return SHORTEST_STEP_MS[recurrence];
}

/** Occurrences that touch `range`, in order, each computed on demand. */
export function* occurrencesWithin(window: WindowTimes, range: Interval): Generator<Interval, void> {
  for (const occurrence of occurrencesFrom(window, range.fromMs)) {
    if (occurrence.fromMs >= range.toMs) return;
    if (occurrence.toMs > range.fromMs) yield occurrence;
  }
}

/** Upper bound of the number of occurrences that touch `range`, without computing any. */
export function occurrencesAtMost({ startsAtMs, recurrence, recurrenceUntilMs }: WindowTimes, range: Interval): number {
  if (recurrence === 'none') return 1;
  const lastsMs = Math.min(range.toMs, recurrenceUntilMs ?? range.toMs) - Math.max(range.fromMs, startsAtMs);
  // an occurrence may last when the range begins; the first has its own times
  return 2 + Math.ceil((Math.max(0, lastsMs) + 2 * CLOCKS_MS) / SHORTEST_STEP_MS[recurrence]);
}

/** Cost of computing occurrences of a window beyond the occurrences themselves: changes of clocks looked up so far. */
export function clockSearches({ timezone }: WindowTimes): number {
  return zoneClock(timezone).searches;
}

/** Occurrence that contains an instant; if several do, the one that ends last. Null if none does. */
export function occurrenceOf(window: WindowTimes, instantMs: number): Interval | null {
  const found = [...occurrencesWithin(window, { fromMs: instantMs, toMs: instantMs + 1 })];
  return found.sort((a, b) => b.toMs - a.toMs)[0] ?? null;
}

/** First occurrence that begins at `afterMs` or later, or null. */
export function nextOccurrence(window: WindowTimes, afterMs: number): Interval | null {
  for (const occurrence of occurrencesFrom(window, afterMs)) if (occurrence.fromMs >= afterMs) return occurrence;
  return null;
}

/** First begin or end of an occurrence after an instant, or null. */
export function nextTurn(window: WindowTimes, afterMs: number): number | null {
  const ends = [...occurrencesWithin(window, { fromMs: afterMs, toMs: afterMs + 1 })].map(({ toMs }) => toMs);
  const next = nextOccurrence(window, afterMs + 1);
  const turns = next === null ? ends : [...ends, next.fromMs];
  return turns.length === 0 ? null : Math.min(...turns);
}

/** End of the occurrence that ended last by an instant; null if none has. */
export function lastEnd(window: WindowTimes, instantMs: number): number | null {
  const { endsAtMs, recurrence, recurrenceUntilMs } = window;
  if (recurrence === 'none') return endsAtMs <= instantMs ? endsAtMs : null;
  const lastBeginMs = Math.min(instantMs, recurrenceUntilMs ?? instantMs);
  // of the last three that began at least one is over: the newest may last, and one may be empty
  const fromMs = lastBeginMs - 3 * LONGEST_STEP_MS[recurrence] - CLOCKS_MS;
  const ends = [...occurrencesWithin(window, { fromMs, toMs: instantMs })].map(({ toMs }) => toMs);
  return ends.filter((toMs) => toMs <= instantMs).reduce<number | null>((a, b) => Math.max(a ?? b, b), null);
}

function isEmpty({ fromMs, toMs }: Interval): boolean {
  return fromMs >= toMs;
}

/** Index of an occurrence that ends before `fromMs`, or 0. */
function firstIndex({ endsAtMs, recurrence }: WindowTimes, fromMs: number): number {
  if (recurrence === 'none') return 0;
  return Math.max(0, Math.floor((fromMs - endsAtMs - CLOCKS_MS) / LONGEST_STEP_MS[recurrence]));
}

/** Occurrences that are not empty, from one that ends before `fromMs` or the first on; endless if the window has no end. */
function* occurrencesFrom(window: WindowTimes, fromMs: number): Generator<Interval, void> {
  const { startsAtMs, endsAtMs, recurrence, recurrenceUntilMs, timezone } = window;
  const first = { fromMs: startsAtMs, toMs: endsAtMs };
  let index = firstIndex(window, fromMs);
  if (index === 0) yield first;
  if (recurrence === 'none') return;
  const clock = zoneClock(timezone);
  const wall = wallTimesOf(first, clock);
  for (index = Math.max(1, index); ; index += 1) {
    const startMs = wall.fromMs + stepMs(recurrence, index, wall.fromMs);
    const occurrence = {
      fromMs: clock.instantOf(startMs),
      toMs: clock.instantOf(startOfDay(startMs) + wall.endMs),
    };
    if (recurrenceUntilMs !== null && occurrence.fromMs > recurrenceUntilMs) return;
    if (!isEmpty(occurrence)) yield occurrence;
  }
}

/** Start of the first occurrence in local time, and its end as a distance from the midnight before. */
function wallTimesOf(
  { fromMs, toMs }: Interval,
  clock: ZoneClock,
): { readonly fromMs: number; readonly endMs: number } {
  const beginMs = clock.wallOf(fromMs);
  return { fromMs: beginMs, endMs: clock.wallOf(toMs) - startOfDay(beginMs) };
}

/** Distance in local time from the first occurrence to another, in milliseconds. */
function stepMs(recurrence: Exclude<Recurrence, 'none'>, count: number, firstMs: number): number {
  return recurrence === 'monthly' ? monthsAfter(firstMs, count) - firstMs : count * LONGEST_STEP_MS[recurrence];
}

/** Same day and time a number of months later, or the last day of that month. */
function monthsAfter(wallMs: number, count: number): number {
  const at = new Date(wallMs);
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth() + count];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(at.getUTCDate(), lastDay)) + wallMs - startOfDay(wallMs);
}

function startOfDay(wallMs: number): number {
  return Math.floor(wallMs / DAY_MS) * DAY_MS;
}
