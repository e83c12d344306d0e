/** Interval of time, the end excluded; milliseconds since the epoch. */
export interface Interval {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Intervals that touch a range. */
export function touching(intervals: readonly Interval[], { fromMs, toMs }: Interval): Interval[] {
  return intervals.filter((one) => one.fromMs < toMs && one.toMs > fromMs);
}
