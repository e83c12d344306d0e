import type { ServerFrame } from '@vantage/shared/protocol/codec.js';
import t from 'tap';
import { FakeClock } from '../../test/_support/fake-clock.js';
import { JobsOut } from './jobs-out.js';

function start() {
  const given: string[] = [];
  const send = ({ job }: ServerFrame) => given.push(job?.taskId ?? '');
  const jobs = new JobsOut(new FakeClock(), send);
  const give = (taskId: string) =>
    jobs.give({ taskId, probeType: 'tcp', specJson: '{}', deadlineMs: 1000, caller: '' });
  return { jobs, given, give };
}

t.test('a job is given once over a link, however often it is found pending', async (t) => {
  const { given, give } = start();
  t.equal(give('one'), true, 'the node was idle');
  t.equal(give('one'), false);
  t.equal(give('two'), false, 'it was busy already');
  t.same(given, ['one', 'two']);
});

t.test('a job whose result is there before it is sent is not sent, and the node stays idle', async (t) => {
  const { jobs, given, give } = start();
  jobs.sent.answer('one');
  t.equal(give('one'), false);
  t.same(given, []);
  t.equal(jobs.sent.owed, 0);
});
