import t from 'tap';
import { delayAfter, MAX_ATTEMPTS } from './retry-schedule.js';

const HOUR_MS = 3_600_000;
const plain = { requestedMs: null, random: 0.5 };

t.test('ten attempts are made within 75.6 hours, with growing delays', async (t) => {
  const delays = Array.from({ length: MAX_ATTEMPTS }, (_, index) => delayAfter(index + 1, plain));
  t.same(delays, [5_000, 300_000, 1_800_000, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS), null]);
  const total = delays.reduce<number>((sum, delay) => sum + (delay ?? 0), 0);
  t.equal((total / HOUR_MS).toFixed(1), '75.6');
});

t.test('delays differ by ten percent at most, so that events of an outage do not come back at once', async (t) => {
  t.equal(delayAfter(2, { requestedMs: null, random: 0 }), 270_000);
  t.equal(delayAfter(2, { requestedMs: null, random: 1 }), 330_000);
});

t.test('Retry-After replaces the delay, from five seconds to a day, and adds no attempt', async (t) => {
  const cases: readonly (readonly [reported: number, delay: number])[] = [
    [0, 5_000],
    [60_000, 60_000],
    [HOUR_MS, HOUR_MS],
    [365 * 24 * HOUR_MS, 24 * HOUR_MS],
  ];
  for (const [requestedMs, delay] of cases)
    t.equal(delayAfter(1, { requestedMs, random: 0 }), delay, String(requestedMs));
  t.equal(delayAfter(MAX_ATTEMPTS, { requestedMs: 60_000, random: 0.5 }), null);
});
