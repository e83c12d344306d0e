import t from 'tap';
import { type Arrival, steadyRate } from './steady-rate.js';

/** Arrivals every `stepMs` of so many bytes each, one after another. */
function arrivals(stepMs: number, sizes: readonly number[]): Arrival[] {
  let bytes = 0;
  return sizes.map((size, i) => {
    bytes += size;
    return { atMs: 1000 + i * stepMs, bytes };
  });
}

t.test('the ramp-up is left out: 30 % of the time, two seconds at most', async (t) => {
  const short = arrivals(10, [...Array(30).fill(100), ...Array(71).fill(1000)]);
  t.equal(steadyRate(short), (1000 * 8 * 1000) / 10, 'the first 30 of 100 intervals are slow');
  const long = arrivals(100, [...Array(20).fill(1), ...Array(81).fill(5000)]);
  t.equal(steadyRate(long), (5000 * 8 * 1000) / 100, 'two seconds of ten');
});

t.test('nothing, one arrival, or all at one instant has no rate', async (t) => {
  t.equal(steadyRate([]), null);
  t.equal(steadyRate([{ atMs: 5, bytes: 100 }]), null);
  t.equal(
    steadyRate([
      { atMs: 5, bytes: 100 },
      { atMs: 5, bytes: 200 },
    ]),
    null,
  );
});
