import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { keptProgress, UnkeptReports } from './unkept-reports.js';

t.test('progress that is kept stays behind the first report that the disk does not have', async (t) => {
  const reports = new UnkeptReports<string>();
  const [fifth, sixth] = [reports.add('a', 5), reports.add('a', 6)];
  t.equal(reports.oldest('b'), null);
  t.equal(reports.oldest('a'), 5);
  t.same(keptProgress({ done: 7, running: 7 }, reports.oldest('a')), { done: 4, running: null });
  t.same(keptProgress({ done: 7, running: 3 }, reports.oldest('a')), { done: 2, running: null }, 'nor what runs');
  fifth();
  t.equal(reports.oldest('a'), 6);
  sixth();
  t.same(keptProgress({ done: 7, running: 7 }, reports.oldest('a')), { done: 7, running: 7 });
  t.same(keptProgress({ done: null, running: null }, 5), { done: null, running: null });
});

t.test('reports that are not yet durable are waited for, but not forever', async (t) => {
  const clock = new FakeClock();
  const reports = new UnkeptReports<string>();
  await reports.none(clock, 500);
  const kept = reports.add('a', 1);
  const soon = reports.none(clock, 500);
  kept();
  await soon;
  reports.add('a', 2);
  const late = reports.none(clock, 500);
  clock.advance(500);
  await late;
  t.equal(reports.oldest('a'), 2);
});
