import fc from 'fast-check';
import t from 'tap';
import { rounds } from '../_support/rounds.js';
import { deviationOf, meanOf, percentileOf, roundMs } from './statistics.js';

const value = fc.integer({ min: 0, max: 100_000 }).map((number) => number / 8);
const values = fc.array(value, { minLength: 1, maxLength: 50 });

t.test('nothing has no mean, percentile or deviation', async (t) => {
  t.equal(meanOf([]), null);
  t.equal(percentileOf([], 0.95), null);
  t.equal(deviationOf([]), null);
  t.equal(roundMs(null), null);
});

t.test('known values', async (t) => {
  t.equal(meanOf([1, 2, 6]), 3);
  t.equal(meanOf([5]), 5);
  t.equal(deviationOf([5]), 0);
  t.equal(deviationOf([2, 4, 4, 4, 5, 5, 7, 9]), 2);
  t.equal(percentileOf([5, 1, 3], 0.5), 3);
  t.equal(percentileOf([1, 2, 3, 4], 0.5), 2, 'nearest rank, never between two values');
  t.equal(percentileOf([4, 3, 2, 1], 0.75), 3);
  t.equal(percentileOf([4, 3, 2, 1], 0.751), 4);
  t.equal(
    percentileOf(
      Array.from({ length: 100 }, (_, i) => i + 1),
      0.95,
    ),
    95,
  );
  t.equal(
    percentileOf(
      Array.from({ length: 20 }, (_, i) => i + 1),
      0.95,
    ),
    19,
  );
  t.equal(
    percentileOf(
      Array.from({ length: 21 }, (_, i) => i + 1),
      0.95,
    ),
    20,
  );
  t.equal(roundMs(1.23456), 1.235);
  t.equal(roundMs(0.0004), 0);
  t.equal(roundMs(0.0005), 0.001);
});

t.test('a mean lies between the extremes, and order changes nothing', async () => {
  fc.assert(
    fc.property(values, (list) => {
      const mean = meanOf(list) ?? Number.NaN;
      const reversed = [...list].reverse();
      return (
        mean >= Math.min(...list) - 1e-9 &&
        mean <= Math.max(...list) + 1e-9 &&
        percentileOf(list, 0.95) === percentileOf(reversed, 0.95)
      );
    }),
  );
});

t.test('a percentile is a value that at least that share does not exceed', async () => {
  fc.assert(
    fc.property(values, fc.integer({ min: 0, max: 100 }), (list, percent) => {
      const found = percentileOf(list, percent / 100) ?? Number.NaN;
      const notAbove = list.filter((member) => member <= found).length;
      const below = list.filter((member) => member < found).length;
      return (
        list.includes(found) &&
        notAbove * 100 >= percent * list.length - 1e-6 &&
        (below === 0 || below * 100 < percent * list.length + 1e-6)
      );
    }),
    { numRuns: rounds(1000) },
  );
});

t.test('a deviation is never negative or NaN, and 0 for equal values', async () => {
  fc.assert(fc.property(values, (list) => (deviationOf(list) ?? -1) >= 0));
  fc.assert(
    fc.property(
      fc.double({ noNaN: true, min: 0, max: 1e6 }),
      fc.integer({ min: 1, max: 50 }),
      (same, length) => (deviationOf(new Array<number>(length).fill(same)) ?? -1) < 1e-1,
    ),
  );
});

t.test('the list given is left as it was', async (t) => {
  const list = [3, 1, 2];
  percentileOf(list, 0.5);
  t.same(list, [3, 1, 2]);
});
