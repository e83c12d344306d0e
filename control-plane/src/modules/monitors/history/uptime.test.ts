import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { type Interval } from '../definition/interval.js';
import { uptimePercent } from './uptime.js';

const span = (fromMs: number, toMs: number): Interval => ({ fromMs, toMs });
const asked = span(0, 1_000);

t.test('uptime is the watched time without outages', async (t) => {
  const uptime = (downs: Interval[], unwatched: Interval[] = [], firstCheckMs: number | null = 0) =>
    uptimePercent({ asked, firstCheckMs, downs, unwatched });
  t.equal(uptime([]), 100);
  t.equal(uptime([span(100, 200)]), 90);
  t.equal(uptime([span(100, 200), span(150, 250)]), 85, 'overlapping ones count once');
  t.equal(uptime([span(-500, 500), span(900, 5_000)]), 40, 'within what is asked for');
  t.equal(uptime([span(100, 300)], [span(0, 500)]), 100, 'maintenance excludes the outages in it');
  t.equal(uptime([span(400, 600)], [span(0, 500)]), 80, '100 of 500');
  t.equal(uptime([span(700, 800)], [], 600), 75, 'from the first check on');
  t.equal(uptime([], [], null), null, 'no check yet');
  t.equal(uptime([], [span(-10, 2_000)]), null, 'nothing was watched');
  t.equal(uptime([], [], 1_000), null);
});

t.test('however intervals lie, it is what counting every millisecond gives, cut to three decimals', async (t) => {
  const intervals = fc.array(
    fc.tuple(fc.integer({ min: -20, max: 120 }), fc.nat(60)).map(([from, length]) => span(from, from + length)),
    { maxLength: 8 },
  );
  const within = (all: readonly Interval[], ms: number) => all.some(({ fromMs, toMs }) => fromMs <= ms && ms < toMs);
  fc.assert(
    fc.property(intervals, intervals, fc.integer({ min: -10, max: 110 }), (downs, unwatched, firstCheckMs) => {
      const watched = Array.from({ length: 100 }, (_, ms) => ms).filter(
        (ms) => ms >= firstCheckMs && !within(unwatched, ms),
      );
      const up = watched.filter((ms) => !within(downs, ms));
      const expected = watched.length === 0 ? null : Math.floor((100_000 * up.length) / watched.length) / 1_000;
      t.equal(uptimePercent({ asked: span(0, 100), firstCheckMs, downs, unwatched }), expected);
    }),
    { numRuns: rounds(300) },
  );
});
