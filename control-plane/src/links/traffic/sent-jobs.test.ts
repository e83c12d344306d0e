import t from 'tap';
import { SentJobs } from './sent-jobs.js';

t.test('a job is owed from its sending to its result', async (t) => {
  const jobs = new SentJobs();
  jobs.add('one', 1000);
  jobs.add('two', 1000);
  t.equal(jobs.owed, 2);
  jobs.answer('one');
  t.equal(jobs.owed, 1);
  t.ok(jobs.has('one') && jobs.has('two'));
});

t.test('a task whose result came before its job was sent over this link is not sent any more', async (t) => {
  const jobs = new SentJobs();
  jobs.answer('one');
  t.ok(jobs.has('one'));
  t.equal(jobs.owed, 0);
});

t.test('a job without an answer is owed until it is given up', async (t) => {
  const jobs = new SentJobs();
  jobs.add('one', 1000);
  jobs.giveUp(999);
  t.equal(jobs.owed, 1);
  jobs.giveUp(1000);
  t.equal(jobs.owed, 0);
  t.notOk(jobs.has('one'), 'it may be sent again');
});

t.test('the last thousand answers are remembered, and at most twice as many', async (t) => {
  const jobs = new SentJobs();
  for (let task = 0; task <= 2000; task += 1) jobs.answer(String(task));
  t.notOk(jobs.has('0'));
  t.ok(jobs.has('1001') && jobs.has('2000'));
});
