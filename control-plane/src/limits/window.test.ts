import fc from 'fast-check';
import t from 'tap';
import { isCurrent, windowAt } from './window.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const instants = fc.integer({ min: 0, max: 4e12 });
const limits = fc.record({
  key: fc.string(),
  limit: fc.constant(30),
  windowMs: fc.constantFrom(1_000, MINUTE_MS, 3_600_000, DAY_MS),
});

t.test('windows of a limit follow one another without a gap, each begins and ends on a whole second', async () => {
  fc.assert(
    fc.property(limits, instants, (limit, now) => {
      const window = windowAt(limit, now);
      const next = windowAt(limit, window.endsAt);
      return (
        window.startsAt <= now &&
        now < window.endsAt &&
        window.endsAt - window.startsAt === limit.windowMs &&
        window.endsAt % 1_000 === 0 &&
        next.startsAt === window.endsAt &&
        isCurrent(window, now)
      );
    }),
  );
});

t.test('a day begins at midnight UTC for everyone', async (t) => {
  for (const key of ['a', 'b']) {
    const window = windowAt({ key, limit: 1, windowMs: DAY_MS }, Date.UTC(2026, 1, 28, 23, 59, 59, 999));
    t.same(window, { startsAt: Date.UTC(2026, 1, 28), endsAt: Date.UTC(2026, 2, 1) });
  }
});

t.test('a month begins at midnight UTC of its first day, for every key', async (t) => {
  for (const key of ['a', 'b']) {
    const limit = { key, limit: 1, windowMs: 'month' } as const;
    t.same(windowAt(limit, Date.UTC(2028, 1, 29, 23, 59, 59, 999)), {
      startsAt: Date.UTC(2028, 1),
      endsAt: Date.UTC(2028, 2),
    });
    t.same(windowAt(limit, Date.UTC(2026, 11, 1)), { startsAt: Date.UTC(2026, 11), endsAt: Date.UTC(2027, 0) });
  }
});

t.test('minutes of different callers begin at different seconds', async (t) => {
  const callers = Array.from({ length: 600 }, (_, index) => `requests:203.0.113.${index}`);
  const seconds = callers.map((key) => windowAt({ key, limit: 1, windowMs: MINUTE_MS }, 0).endsAt);
  const mostAtOnce = Math.max(...seconds.map((second) => seconds.filter((other) => other === second).length));
  t.equal(new Set(seconds).size, 60);
  t.ok(mostAtOnce < 30, `${mostAtOnce} of 600 come back in one second`);
});

t.test(
  'a window one ahead of our clock was begun by another replica, one further ahead by a wrong clock',
  async (t) => {
    const window = { startsAt: 120_000, endsAt: 180_000 };
    const cases = [
      { now: 59_999, expected: false },
      { now: 60_000, expected: true },
      { now: 179_999, expected: true },
      { now: 180_000, expected: false },
    ];
    for (const { now, expected } of cases) t.equal(isCurrent(window, now), expected, String(now));
  },
);
