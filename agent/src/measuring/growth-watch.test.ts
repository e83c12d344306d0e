import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { watchGrowth } from './growth-watch.js';

const MB = 2 ** 20;

t.test('a process reports that it has grown by 32 MB, not in its first minute, and again a minute later', async (t) => {
  const clock = new FakeClock();
  const reported: { atMs: number; mb: number }[] = [];
  let rssMb = 70;
  const onGrown = (rssBytes: number) => reported.push({ atMs: clock.monotonicMs(), mb: rssBytes / MB });
  watchGrowth({ clock, readRss: () => rssMb * MB, onGrown });
  rssMb = 103;
  clock.advance(59_999);
  t.same(reported, []);
  rssMb = 102;
  clock.advance(30_001);
  t.same(reported, [], '32 MB are not more than 32 MB');
  rssMb = 103;
  clock.advance(10_000);
  t.same(reported.splice(0), [{ atMs: 100_000, mb: 103 }]);
  clock.advance(59_999);
  t.same(reported, []);
  clock.advance(1);
  t.same(reported, [{ atMs: 160_000, mb: 103 }]);
});
