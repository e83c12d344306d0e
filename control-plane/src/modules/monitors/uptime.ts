// Uptime comes from events, which have exact beginnings and ends, not from counted checks.
//
//   asked for     |=====================================|
//   not watched   |====|           (before the first check, maintenance windows)   |===|
//   down                  |====|
//   uptime = 1 - down / watched

/** From one instant to another, the end excluded; milliseconds since the epoch. */
export interface Interval {
  readonly fromMs: number;
  readonly toMs: number;
}

interface UptimeInput {
  /** What is asked for, up to now at most. */
  readonly asked: Interval;
  /** The monitor's first check; null: it had none. */
  readonly firstCheckMs: number | null;
  /** Events of type down, without false positives; one that is open lasts until the end of `asked`. May overlap. */
  readonly downs: readonly Interval[];
  /** Maintenance windows, and when the monitor was paused. May overlap. */
  readonly unwatched: readonly Interval[];
}

/** How long a monitor was watched, and how long of that it was down; milliseconds. */
export interface Uptime {
  readonly watchedMs: number;
  readonly downMs: number;
}

/** What came of the time that was asked for. */
export function measureUptime({ asked, firstCheckMs, downs, unwatched }: UptimeInput): Uptime {
  if (firstCheckMs === null) return { watchedMs: 0, downMs: 0 };
  const watched = subtract([{ ...asked, fromMs: Math.max(asked.fromMs, firstCheckMs) }], unwatched);
  const watchedMs = lengthOf(watched);
  return { watchedMs, downMs: watchedMs - lengthOf(subtract(watched, downs)) };
}

/** Share of the watched time without an outage, 0 to 100; null when nothing of it was watched. */
export function uptimePercent(input: UptimeInput): number | null {
  return percentOf(measureUptime(input));
}

/** Share without an outage, 0 to 100; null when nothing was watched. */
export function percentOf({ watchedMs, downMs }: Uptime): number | null {
  return watchedMs === 0 ? null : (100 * (watchedMs - downMs)) / watchedMs;
}

/** Those that touch a range. */
export function touching(intervals: readonly Interval[], { fromMs, toMs }: Interval): Interval[] {
  return intervals.filter((one) => one.fromMs < toMs && one.toMs > fromMs);
}

/** What is in `intervals`, which do not overlap, and in none of `holes`. */
function subtract(intervals: readonly Interval[], holes: readonly Interval[]): Interval[] {
  return holes.reduce<Interval[]>(
    (left, hole) =>
      left.flatMap(({ fromMs, toMs }) => {
        if (hole.toMs <= hole.fromMs) return [{ fromMs, toMs }];
        const before = { fromMs, toMs: Math.min(toMs, hole.fromMs) };
        const after = { fromMs: Math.max(fromMs, hole.toMs), toMs };
        return [before, after].filter((part) => part.fromMs < part.toMs);
      }),
    intervals.filter(({ fromMs, toMs }) => fromMs < toMs),
  );
}

function lengthOf(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
}
