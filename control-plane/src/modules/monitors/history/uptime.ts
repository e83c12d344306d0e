import type { Interval } from '../definition/interval.js';
import { coveredMs, intersectionOf, unionOf } from './interval-union.js';

// Uptime comes from events, which have exact beginnings and ends, not from counted checks.
//
//   asked for     |=====================================|
//   not watched   |====|           (before the first check, maintenance windows)   |===|
//   down                  |====|
//   uptime = 1 - down / watched

interface UptimeInput {
  /** Requested range, until now at most. */
  readonly asked: Interval;
  /** Time of the monitor's first check, or null. */
  readonly firstCheckMs: number | null;
  /** Events of type down, without false positives; one that is open lasts until the end of `asked`. May overlap. */
  readonly downs: readonly Interval[];
  /** Maintenance windows and pauses of the monitor. May overlap. */
  readonly unwatched: readonly Interval[];
}

/** Time for which a monitor was watched, and the part of it in which it was down; milliseconds. */
export interface Uptime {
  readonly watchedMs: number;
  readonly downMs: number;
}

/** Watched time and down time in the requested range. */
export function measureUptime({ asked, firstCheckMs, downs, unwatched }: UptimeInput): Uptime {
  if (firstCheckMs === null) return { watchedMs: 0, downMs: 0 };
  const range = { ...asked, fromMs: Math.max(asked.fromMs, firstCheckMs) };
  if (range.fromMs >= range.toMs) return { watchedMs: 0, downMs: 0 };
  const [down, out] = [unionOf(downs), unionOf(unwatched)];
  return {
    watchedMs: range.toMs - range.fromMs - coveredMs(out, range),
    downMs: coveredMs(down, range) - coveredMs(intersectionOf(down, out), range),
  };
}

/** Share of the watched time without an outage, in percent; null if no time was watched. */
export function uptimePercent(input: UptimeInput): number | null {
  return percentOf(measureUptime(input));
}

/**
 * Share without an outage, in percent with three decimals, rounded down: 100 means that there was no outage. Null if no time was watched.
 */
export function percentOf({ watchedMs, downMs }: Uptime): number | null {
  return watchedMs === 0 ? null : Math.floor((100_000 * (watchedMs - downMs)) / watchedMs) / 1_000;
}
