import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import type { ServerFrame } from '@vantage/shared/protocol/codec.js';
import t from 'tap';
import { JobsOut } from './jobs-out.js';

function start() {
  const given: string[] = [];
  const send = ({ job }: ServerFrame) => given.push(job?.taskId ?? '');
  const clock = new FakeClock();
  const jobs = new JobsOut(clock, send);
  const give = (taskId: string) =>
    jobs.give({ taskId, probeType: 'tcp', specJson: '{}', deadlineMs: 1000, caller: '' });
  return { clock, jobs, given, give };
}

t.test('a job is sent once over a link, however often it is found pending', async (t) => {
  const { given, give } = start();
  t.equal(give('one'), true, 'the node was idle');
  t.equal(give('one'), false);
  t.equal(give('two'), false, 'it was busy already');
  t.same(given, ['one', 'two']);
});

t.test('a job whose result arrives before it is sent is not sent, and the node stays idle', async (t) => {
  const { jobs, given, give } = start();
  jobs.sent.answer('one');
  t.equal(give('one'), false);
  t.same(given, []);
  t.equal(jobs.sent.owed, 0);
});

t.test(
  'a node that reports to run and hold nothing owes nothing, unless a job may still be on its way to it',
  async (t) => {
    const { clock, jobs, given, give } = start();
    give('one');
    clock.advance(60_000);
    jobs.heard({ running: 0, spoolRows: 0, jobsReceived: 0 });
    t.equal(jobs.sent.owed, 1, 'it said so before the job came');
    jobs.heard({ running: 0, spoolRows: 0, jobsReceived: 1 });
    t.equal(jobs.sent.owed, 0);
    give('one');
    t.same(given, ['one'], 'and would ignore it once more');
  },
);

t.test('a node that owes something is busy until it says that it runs nothing', async (t) => {
  const { clock, jobs, give } = start();
  t.equal(jobs.isBusy, false);
  give('one');
  jobs.heard({ running: 1, spoolRows: 0, jobsReceived: 1 });
  t.equal(jobs.isBusy, true);
  jobs.heard({ running: 0, spoolRows: 1, jobsReceived: 1 });
  t.equal(jobs.isBusy, false, 'it holds results, but measures nothing');
  t.equal(jobs.sent.owed, 1, 'the result it holds may be the one');
  clock.advance(100);
  t.equal(give('two'), true);
  t.equal(jobs.isBusy, true);
  t.equal(jobs.busySince, 100);
  jobs.heard({ running: 0, spoolRows: 1, jobsReceived: 1 });
  t.equal(jobs.isBusy, true, 'the second job may be on its way');
});
