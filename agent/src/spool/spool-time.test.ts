import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { SpoolTime } from './spool-time.js';

const HOUR_MS = 3_600_000;

t.test('rows age by the monotonic clock, whatever happens to the wall clock', async (t) => {
  const clock = new FakeClock(1_000_000);
  const time = new SpoolTime(clock, null);
  const before = time.now();
  clock.setWall(1_000_000 + 10 * 365 * 24 * HOUR_MS);
  clock.advance(HOUR_MS);
  t.equal(time.now() - before, HOUR_MS);
  t.equal(time.toWall(before), clock.now() - HOUR_MS, 'an instant is shown on the clock of now');
});

t.test('a restart ages rows by the wall clock, and never makes them younger', async (t) => {
  const saved = { spoolMs: 5_000, wallMs: 1_000_000 };
  t.equal(new SpoolTime(new FakeClock(1_000_000 + HOUR_MS), saved).now(), 5_000 + HOUR_MS);
  t.equal(new SpoolTime(new FakeClock(1_000_000 - HOUR_MS), saved).now(), 5_000);
});
