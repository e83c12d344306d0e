import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { watchGrowth } from './growth-watch.js';

const MB = 2 ** 20;

t.test('a process reports that it has grown by 32 MB, not in its first minute, and again a minute later', async (t) => {
  const clock = new FakeClock();
  const told: { atMs: number; mb: number }[] = [];
  let rssMb = 70;
  const onGrown = (rssBytes: number) => told.push({ atMs: clock.monotonicMs(), mb: rssBytes / MB });
  watchGrowth({ clock, readRss: () => rssMb * MB, onGrown });
  rssMb = 103;
  clock.advance(59_999);
  t.same(told, []);
  rssMb = 102;
  clock.advance(30_001);
  t.same(told, [], '32 MB are not more than 32 MB');
  rssMb = 103;
  clock.advance(10_000);
  t.same(told.splice(0), [{ atMs: 100_000, mb: 103 }]);
  clock.advance(59_999);
  t.same(told, []);
  clock.advance(1);
  t.same(told, [{ atMs: 160_000, mb: 103 }]);
});
