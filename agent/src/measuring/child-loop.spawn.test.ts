import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { isAlive } from '../../test/_support/enrolled-agent.js';
import { aJob, resultOf, startMeasuring } from '../../test/_support/measuring-fixture.js';

const measuring = startMeasuring(t);

t.test('a cancelled job ends as cancelled', async (t) => {
  const wanted = aJob('hang.example');
  const answer = measuring.measure(wanted);
  await measuring.ready();
  measuring.cancel(wanted.id);
  t.match(resultOf(await answer), { error: { code: 'cancelled' } });
});

t.test('the deny list reaches the child and one that follows it, and an invalid one leaves it in force', async (t) => {
  measuring.setLists({ own: [], denied: ['evil.example'] });
  t.match(resultOf(await measuring.measure(aJob('www.evil.example'))), { error: { code: 'target_not_allowed' } });
  const first = measuring.pid ?? 0;
  process.kill(first, 'SIGKILL');
  await until('a new child is there', () => measuring.pid !== null && measuring.pid !== first);
  t.match(resultOf(await measuring.measure(aJob('www.evil.example'))), { error: { code: 'target_not_allowed' } });
  measuring.setLists({ own: ['not an address'], denied: [] });
  t.match(resultOf(await measuring.measure(aJob('www.evil.example'))), { error: { code: 'target_not_allowed' } });
});

t.test('a result too large to travel becomes internal', async (t) => {
  t.match(resultOf(await measuring.measure(aJob('large.example'))), {
    error: { code: 'internal', message: /too large/ },
  });
});

t.test('the child ends at once when its parent dies, whatever it was doing', async (t) => {
  const parent = fork(fileURLToPath(new URL('../../test/_support/measuring-parent.js', import.meta.url)));
  const [childPid] = (await once(parent, 'message')) as [number];
  t.ok(isAlive(childPid));
  parent.kill('SIGKILL');
  await until('the child is gone', () => !isAlive(childPid));
});

t.test('signals meant for the parent do not end the child', async (t) => {
  await measuring.ready();
  const pid = measuring.pid ?? 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.kill(pid, signal);
  t.equal(resultOf(await measuring.measure(aJob('ok.example'))).success, true);
  t.equal(measuring.pid, pid);
});
