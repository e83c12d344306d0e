import { type ZoneClock, zoneClock } from '../zone-clock.js';
import { type TimeWindow, weekdays } from './policy.js';

// Weekly windows in wall times. The occurrence of a day begins on that day and may end on the next one:
//
//   mon 22:00 - 06:00   ──────[mon 22:00 ──── tue 06:00)──────
//   mon 09:00 - 09:00   ──────[mon 09:00 ──────────────── tue 09:00)
//
// As in maintenance windows, a wall time that the clocks skip moves forward by the gap, and of one that occurs twice the first counts.
// Occurrences that touch or overlap are one period.

/** Time in which a window is open without a break: from `fromMs`, up to and without `toMs`. */
interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Days before an instant on which a period that contains it may begin: a day of its own, and a day that a zone skipped. */
const DAYS_BEFORE = 3;
/** Days after an instant that are looked at: the clocks may leave the occurrence of one week empty. */
const DAYS_AFTER = 22;

export function isOpen(window: TimeWindow, instantMs: number): boolean {
  return periodAt(window, instantMs) !== null;
}

/** First instant after another one at which a window opens; null if it never does, because it is always or never open. */
export function nextOpening(window: TimeWindow, afterMs: number): number | null {
  // a period that is cut off at its beginning lasts at `afterMs`, so that its beginning is never returned
  return periodsFrom(window, afterMs).find(({ fromMs }) => fromMs > afterMs)?.fromMs ?? null;
}

/** Instant at which a window that is open at `instantMs` closes; null if it is closed, or never closes. */
export function closingOf(window: TimeWindow, instantMs: number): number | null {
  const period = periodAt(window, instantMs);
  const isEndless = period !== null && period.toMs - instantMs > (DAYS_AFTER - DAYS_BEFORE) * DAY_MS;
  return period === null || isEndless ? null : period.toMs;
}

function periodAt(window: TimeWindow, instantMs: number): Period | null {
  return periodsFrom(window, instantMs).find(({ fromMs, toMs }) => fromMs <= instantMs && instantMs < toMs) ?? null;
}

/** Periods around and after an instant, in order, without gaps of no length. */
function periodsFrom(window: TimeWindow, instantMs: number): Period[] {
  const clock = zoneClock(window.timezone);
  const today = Math.floor(clock.wallOf(instantMs) / DAY_MS);
  const joined: Period[] = [];
  for (let day = today - DAYS_BEFORE; day <= today + DAYS_AFTER; day += 1) {
    const occurrence = occurrenceOf(window, day, clock);
    if (occurrence === null) continue;
    const last = joined.at(-1);
    if (last === undefined || occurrence.fromMs > last.toMs) joined.push(occurrence);
    else joined[joined.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, occurrence.toMs) };
  }
  return joined;
}

/** Occurrence of a day, counted from 1970-01-01; null if the window has none on it, or the clocks leave it empty. */
function occurrenceOf({ days, start, end }: TimeWindow, day: number, clock: ZoneClock): Period | null {
  if (!days.includes(weekdayOf(day))) return null;
  const [startMs, endMs] = [minutesOf(start) * MINUTE_MS, minutesOf(end) * MINUTE_MS];
  const midnightMs = day * DAY_MS;
  const fromMs = clock.instantOf(midnightMs + startMs);
  const toMs = clock.instantOf(midnightMs + endMs + (endMs > startMs ? 0 : DAY_MS));
  return fromMs < toMs ? { fromMs, toMs } : null;
}

function weekdayOf(day: number) {
  // 1970-01-01 was a Thursday
  return weekdays[(((day + 3) % 7) + 7) % 7] ?? 'mon';
}

/** Minutes since midnight of `HH:MM`. */
function minutesOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return hours * 60 + minutes;
}
