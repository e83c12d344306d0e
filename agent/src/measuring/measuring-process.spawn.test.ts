import { setImmediate } from 'node:timers/promises';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { aCheck, aJob, resultOf, startMeasuring } from '../../test/_support/measuring-fixture.js';

t.test('jobs sent before the child is ready are all answered', async (t) => {
  const measuring = startMeasuring(t);
  const answers = await Promise.all(Array.from({ length: 50 }, () => measuring.measure(aJob('ok.example'))));
  t.ok(answers.every((answer) => resultOf(answer).success));
  t.same(await measuring.ready(), ['icmp']);
  t.equal(measuring.running, 0);
});

t.test('kill -9 of the child ends its probes with internal, and a new child takes the next ones', async (t) => {
  const measuring = startMeasuring(t);
  await measuring.ready();
  const first = measuring.pid ?? 0;
  const hanging = [measuring.measure(aJob('hang.example')), measuring.measure(aJob('hang.example'))];
  await measuring.measure(aJob('ok.example'));
  process.kill(first, 'SIGKILL');
  for (const answer of await Promise.all(hanging)) {
    t.match(resultOf(answer), { success: false, error: { code: 'internal', message: 'the measuring process ended' } });
  }
  await until('a new child is there', () => measuring.pid !== null);
  t.not(measuring.pid, first);
  t.equal(resultOf(await measuring.measure(aJob('ok.example'))).success, true);
});

t.test('a job that arrives while there is no child is answered at once', async (t) => {
  const clock = new FakeClock();
  const measuring = startMeasuring(t, { clock });
  await measuring.ready();
  process.kill(measuring.pid ?? 0, 'SIGKILL');
  await until('the child is gone', () => measuring.pid === null);
  t.match(resultOf(await measuring.measure(aJob('ok.example'))), { error: { code: 'internal' } });
});

t.test('restarts of a child that dies again and again wait longer and longer', async (t) => {
  const clock = new FakeClock();
  const measuring = startMeasuring(t, { clock });
  const delays: number[] = [];
  for (let i = 0; i < 3; i += 1) {
    await until('a child is there', () => measuring.pid !== null);
    process.kill(measuring.pid ?? 0, 'SIGKILL');
    await until('the child is gone', () => measuring.pid === null);
    let waitedMs = 0;
    for (; measuring.pid === null; waitedMs += 50) clock.advance(50);
    delays.push(waitedMs);
  }
  t.same(delays, [100, 200, 400]);
});

t.test('a child that no longer answers is killed and its jobs are answered', async (t) => {
  const clock = new FakeClock();
  const measuring = startMeasuring(t, { clock });
  await measuring.ready();
  const stuck = measuring.measure(aJob('block.example', 1000));
  clock.advance(5000);
  t.equal(measuring.running, 1);
  clock.advance(2000);
  t.match(resultOf(await stuck), { error: { code: 'internal', message: 'the measuring process ended' } });
});

t.test('after the agent stood still, a child has a second for answers that are overdue', async (t) => {
  const clock = new FakeClock();
  const measuring = startMeasuring(t, { clock });
  await measuring.ready();
  const { pid } = measuring;
  const afterStandingStill = (target: string) => {
    clock.timersLateMs = 9000;
    const answer = measuring.measure(aJob(target, 1000));
    clock.timersLateMs = 0;
    clock.advance(10_000);
    return answer;
  };
  t.equal(resultOf(await afterStandingStill('ok.example')).success, true);
  t.equal(measuring.pid, pid);
  // the look that finds nothing in flight
  clock.advance(1000);
  const stuck = afterStandingStill('block.example');
  clock.advance(1000);
  t.match(resultOf(await stuck), { error: { code: 'internal', message: 'the measuring process ended' } });
});

t.test('a child that the system does not fork is one that died: it is tried again', async (t) => {
  const { execPath } = process;
  t.teardown(() => {
    process.execPath = execPath;
  });
  // the first reports by an event, the second throws
  for (const missing of ['/nowhere/node', '/dev/null/node']) {
    const clock = new FakeClock();
    process.execPath = missing;
    const measuring = startMeasuring(t, { clock });
    const first = measuring.measure(aJob('ok.example'));
    t.match(resultOf(await first), { error: { code: 'internal' } });
    process.execPath = execPath;
    clock.advance(100);
    t.equal(resultOf(await measuring.measure(aJob('ok.example'))).success, true);
  }
});

t.test('stop ends a child that no longer answers', async (t) => {
  const clock = new FakeClock();
  const measuring = startMeasuring(t, { clock });
  await measuring.ready();
  const stuck = measuring.measure(aJob('block.example'));
  await setImmediate();
  const stopped = measuring.stop();
  clock.advance(5000);
  await stopped;
  t.match(resultOf(await stuck), { error: { code: 'internal' } });
});

t.test('checks are measured and judged by the child, under the policy of all probes', async (t) => {
  const measuring = startMeasuring(t);
  measuring.setLists({ own: [], denied: ['evil.example'] });
  t.match((await measuring.check(aCheck('fine.example'))).judgment, { outcome: 'ok', error: null });
  for (const [check, code] of [
    [aCheck('www.evil.example'), 'target_not_allowed'],
    [{ ...aCheck('fine.example'), type: 'newer' }, 'not_supported'],
  ] as const)
    t.match((await measuring.check(check)).judgment, { outcome: 'failed', error: { code } });
  t.equal(measuring.running, 0);
});

t.test('a child that dies fails its checks with internal, and so does one that is not there', async (t) => {
  const measuring = startMeasuring(t, { clock: new FakeClock() });
  await measuring.ready();
  const hanging = measuring.check(aCheck('hang.example'));
  await measuring.measure(aJob('ok.example'));
  process.kill(measuring.pid ?? 0, 'SIGKILL');
  const failed = { outcome: 'failed', error: { code: 'internal' } };
  t.match((await hanging).judgment, failed);
  await until('the child is gone', () => measuring.pid === null);
  t.match((await measuring.check(aCheck('ok.example'))).judgment, failed);
});

t.test('probes are measured by another process, whose loop the link and the spool do not share', async (t) => {
  const measuring = startMeasuring(t);
  const { banner } = resultOf(await measuring.measure(aJob('fine.example')));
  t.equal(Number(banner), measuring.pid);
  t.not(measuring.pid, process.pid);
});
