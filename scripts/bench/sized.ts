/** True if benchmarks run in their smallest sizes, to show that they work: set by the environment variable BENCH_SMOKE. */
export const isSmoke = process.env['BENCH_SMOKE'] === '1';

/** Size of a measurement: `full`, or `smoke` where results are not judged. */
export function sized<T>(full: T, smoke: T): T {
  return isSmoke ? smoke : full;
}
