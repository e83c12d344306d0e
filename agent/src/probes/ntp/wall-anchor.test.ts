import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { systemClock } from '@vantage/shared/clock.js';
import t from 'tap';
import { anchorWall } from './wall-anchor.js';

t.test('the wall clock is known to a fraction of its own step', async (t) => {
  const { offsetMs, errorMs } = await anchorWall(systemClock);
  t.ok(errorMs > 0 && errorMs <= 0.5);
  const before = systemClock.monotonicMs();
  const wall = systemClock.now();
  const after = systemClock.monotonicMs();
  t.ok(offsetMs + after + errorMs >= wall, 'not behind');
  t.ok(offsetMs + before - errorMs < wall + 1, 'not ahead');
});

t.test('a clock that stands still leaves its millisecond', async (t) => {
  const { offsetMs, errorMs } = await anchorWall(new FakeClock(1000));
  t.equal(offsetMs, 1000.5);
  t.equal(errorMs, 0.5);
});

t.test('a wall clock that is set meanwhile is used as it is afterwards', async (t) => {
  const clock = new FakeClock(1000);
  const running = anchorWall(clock);
  clock.setWall(5000);
  t.match(await running, { offsetMs: 5000.5, errorMs: 0.5 });
});
