import t from 'tap';
import { addEntries, BIN_UNIT, binOf, type Histogram, histogramBounds, percentileOf } from './histogram.js';

/** Entries of a stored histogram, of times. */
function entriesOf(times: readonly number[]): number[] {
  const counts = new Map<number, number>();
  for (const ms of times) counts.set(binOf(ms), (counts.get(binOf(ms)) ?? 0) + 1);
  return [...counts].map(([bin, count]) => bin * BIN_UNIT + count);
}

t.test('percentiles of merged histograms are at most 7.3 % from those of all times', (t) => {
  const parts = [0, 1, 2].map((part) => Array.from({ length: 500 }, (_, n) => 0.1 * 1.013 ** (n * 2 - part * 7)));
  const all = parts
    .flat()
    .filter((ms) => ms >= 0.1)
    .sort((a, b) => a - b);
  const merged: Histogram = new Map();
  for (const part of parts) addEntries(merged, entriesOf(part.filter((ms) => ms >= 0.1)));
  const range = { minMs: all[0] ?? 0, maxMs: all.at(-1) ?? 0 };
  for (const share of [0.01, 0.1, 0.5, 0.9, 0.95, 0.99, 1]) {
    const exact = all[Math.ceil(share * all.length) - 1] ?? 0;
    const ratio = percentileOf(merged, share, range) / exact;
    t.ok(exact > 67_000 || (ratio > 1 / 1.073 && ratio < 1.073), `${share}: ${ratio}`);
  }
  t.end();
});

t.test('no percentile is below the least time or above the most', (t) => {
  for (const ms of [0.01, 12.5, 1e9]) {
    const histogram: Histogram = new Map();
    addEntries(histogram, entriesOf([ms, ms]));
    t.equal(percentileOf(histogram, 0.5, { minMs: ms, maxMs: ms }), ms);
  }
  t.end();
});

t.test('the bounds are those that were stored by', (t) => {
  t.equal(histogramBounds.length, 97);
  t.strictSame(
    [0, 1, 48, 95, 96].map((index) => histogramBounds[index]),
    [0.1, 0.115, 81.9401, 58384.1, 67141.8],
  );
  t.end();
});
