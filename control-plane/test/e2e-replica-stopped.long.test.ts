import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { checkTrio, startTrio } from './_support/replica-trio.js';

const STOPPED_MS = 30_000;

t.test('a replica that is suspended for 30 s under load and resumes loses no result and doubles none', async (t) => {
  const trio = await startTrio(t);
  const loads = trio.startLoads();
  await until('all of them to work', () => loads.every((load) => load.accepted.length > 1));
  const [server] = trio.servers;
  const pid = server?.program.pid ?? 0;
  process.kill(pid, 'SIGSTOP');
  const stoppedAt = performance.now();
  await until('its lease to be over', async () => (await trio.db('replicas')).length === 2);
  const before = loads.map((load) => load.accepted.length);
  await until('the others to continue', () =>
    [1, 2].every((at) => (loads[at]?.accepted.length ?? 0) > (before[at] ?? 0) + 3),
  );
  await until('its time to be over', () => performance.now() - stoppedAt > STOPPED_MS);
  process.kill(pid, 'SIGCONT');
  await until('it to register again', async () => (await trio.db('replicas')).length === 3);
  const then = loads.map((load) => load.accepted.length);
  await until('all of them to work again', () => loads.every((load, at) => load.accepted.length > (then[at] ?? 0) + 1));
  await Promise.all(loads.map((load) => load.stop()));
  const lost = await checkTrio(t, trio, loads);
  t.comment(`${loads.flatMap((load) => load.accepted).length} tasks, ${lost} node tasks ended as node_lost`);
});
