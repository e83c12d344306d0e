/** Number of intervals for which results of a node may be missing. */
export const FRESH_INTERVALS = 2;
/** Seconds for the duration of a check, and for the age of progress, which is written every ten seconds. */
export const CHECK_SECONDS = 40;

/** Greatest age at which results of a node count for a monitor with this interval, in milliseconds. */
export function freshnessMs(intervalSeconds: number): number {
  return (FRESH_INTERVALS * intervalSeconds + CHECK_SECONDS) * 1_000;
}
