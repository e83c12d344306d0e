// Response times are counted in bins between fixed bounds, so that counts of any nodes and times add up: each bound is 15 % above
// the previous one, and a time read back from a bin has an error of at most 7.3 %.
//
//   bin 0: below 0.1 ms    bin 1: 0.1 to 0.115 ms    …    bin 96: 58.4 to 67.2 s    bin 97: longer
//
// NOTE: stored histograms were counted by these bounds, which must never change.

const FIRST_MS = 0.1;
const RATIO = 1.15;
const BOUNDS = 97;

/** Milliseconds, ascending: with `n` bounds at or below a time, its bin is `n`. */
export const histogramBounds: readonly number[] = Array.from({ length: BOUNDS }, (_, index) =>
  Number((FIRST_MS * RATIO ** index).toPrecision(6)),
);

/** Factor of the bin in an entry of a stored histogram, which is the bin times this plus the count. */
export const BIN_UNIT = 2 ** 24;

/** Counts by bin. */
export type Histogram = Map<number, number>;

/** The bin of a time in milliseconds. */
export function binOf(ms: number): number {
  const above = histogramBounds.findIndex((bound) => bound > ms);
  return above < 0 ? BOUNDS : above;
}

/** Time that stands for a bin, in milliseconds: the geometric mean of its bounds. */
function timeOf(bin: number): number {
  const upper = histogramBounds[Math.min(bin, BOUNDS - 1)] ?? FIRST_MS;
  return bin >= BOUNDS ? upper : upper / Math.sqrt(RATIO);
}

/** Adds the entries of a stored histogram to another one. */
export function addEntries(histogram: Histogram, entries: readonly number[]): void {
  for (const entry of entries) {
    const bin = Math.floor(entry / BIN_UNIT);
    histogram.set(bin, (histogram.get(bin) ?? 0) + (entry % BIN_UNIT));
  }
}

/** Time within which a share of the responses, 0 to 1, arrived, in milliseconds. `range`: shortest and longest of them. */
export function percentileOf(histogram: Histogram, share: number, range: { minMs: number; maxMs: number }): number {
  const bins = [...histogram].sort(([a], [b]) => a - b);
  const total = bins.reduce((sum, [, count]) => sum + count, 0);
  const rank = Math.max(1, Math.ceil(share * total));
  let seen = 0;
  const [bin] = bins.find(([, count]) => (seen += count) >= rank) ?? [BOUNDS];
  return Math.min(range.maxMs, Math.max(range.minMs, timeOf(bin)));
}
