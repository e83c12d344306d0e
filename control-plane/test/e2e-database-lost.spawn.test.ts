import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import { pino } from 'pino';
import t from 'tap';
import { Type } from 'typebox';
import { openDatabase } from '../src/db/database.js';
import { migrate } from '../src/db/migrate.js';
import { defineJob, type JobServices } from '../src/jobs/job.js';
import { Jobs } from '../src/jobs/jobs.js';
import { insertJob } from '../src/jobs/store.js';
import { collectLog } from './_support/log-lines.js';
import { oneQuery } from './_support/one-query.js';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { finishedTask, runProbe, submit } from './_support/probes.js';
import { RealAgent } from './_support/real-agent.js';
import { startRestartablePostgres } from './_support/restartable-postgres.js';
import { SlowTarget } from './_support/slow-target.js';
import { createAdmin, startReplica, type TestApi } from './_support/stack.js';

const PROBES = 5;

const postgres = await startRestartablePostgres(t);
const api = await createAdmin(await startReplica(t, postgres.url));

/** Status of a page that is not enveloped. */
async function statusOf(api: TestApi, path: string): Promise<number> {
  const response = await fetch(new URL(path, api.url));
  await response.text();
  return response.status;
}

t.test('jobs run whenever the database is available, and none that had succeeded runs again', async (t) => {
  await oneQuery(postgres.url, 'CREATE DATABASE jobs');
  const own = new URL(postgres.url);
  own.pathname = '/jobs';
  const url = own.href;
  const db = openDatabase({ url, poolSize: 2, applicationName: 'vantage test' });
  t.teardown(() => db.destroy());
  await migrate(db, pino({ level: 'silent' }));
  const runs: string[] = [];
  let succeed = () => {};
  const type = defineJob({
    name: 'test.wait',
    payload: Type.String(),
    maxAttempts: 3,
    async run(name) {
      runs.push(name);
      if (name === 'during') await new Promise<void>((resolve) => void (succeed = resolve));
    },
  });
  const insert = (name: string) => insertJob(db, { type: 'test.wait', payload: name, maxAttempts: 3 });
  const isEmpty = async () => (await db.raw('SELECT FROM vantage_jobs.jobs')).rows.length === 0;

  await insert('before');
  await postgres.stop();
  const { log, lines } = collectLog();
  const services = {} as JobServices;
  const jobs = new Jobs({ url, db, replicaId: 'rep_1', types: [type], services, clock: systemClock, log });
  jobs.start();
  t.teardown(() => jobs.stop());
  await until('it to notice', () => lines.some(({ msg }) => msg === 'job worker reported a problem'));
  await postgres.start();
  await until('the jobs queued before it began', isEmpty);

  await postgres.stop();
  await postgres.start();
  await insert('idle');
  await until('a job after none ran during the outage', isEmpty);

  await insert('during');
  await until('a job to run', () => runs.includes('during'));
  await postgres.stop();
  succeed();
  await until('the worker to end', () => lines.some(({ msg }) => msg === 'job worker ended, restarting'));
  await postgres.start();
  await insert('after');
  await until('the queue to be empty', isEmpty);
  t.strictSame(runs, ['before', 'idle', 'during', 'after']);
});

t.test(
  'during a database outage requests get 503 and agents keep their results; afterwards all work continues',
  async (t) => {
    await until('the control plane to be ready', async () => (await statusOf(api, '/readyz')) === 200);
    const agent = await RealAgent.start(t, api);
    const target = await SlowTarget.start(t);
    const body = { target: target.url('/held'), params: { timeout_ms: 30_000 }, node_id: agent.nodeId };
    const tasks = await Promise.all(Array.from({ length: PROBES }, () => submit(api, 'http', body)));
    await target.waitForRequests(PROBES);

    await postgres.stop();
    const taskPath = `/v1/probe/tasks/${tasks[0]?.taskId}`;
    for (const ask of [
      () => api.call('POST', '/v1/probe/http', { body }),
      () => api.call('POST', '/v1/probe/http', { body, as: null }),
      () => api.call('GET', taskPath),
      () => api.call('GET', `${taskPath}?wait=5`),
      () => api.call('GET', `${taskPath}/events`),
      () => api.call('POST', '/v1/nodes/enrollment-tokens', { body: {} }),
    ]) {
      const answer = await ask();
      t.match(answer, { status: 503, body: { error: { code: 'UNAVAILABLE' } } });
      t.match(answer.headers.get('retry-after'), /^\d+$/);
    }
    t.equal(await statusOf(api, '/readyz'), 503);
    t.equal(await statusOf(api, '/healthz'), 200);
    target.release();
    await agent.waitForStatus({ isConnected: true, rows: PROBES });

    await postgres.start();
    await until('the control plane to be ready', async () => (await statusOf(api, '/readyz')) === 200);
    for (const { taskId } of tasks) {
      await until('the task to have its result', async () => (await finishedTask(api, taskId)).status === 'completed');
      t.match(await finishedTask(api, taskId), { node_results: [{ success: true, body: 'released' }] });
    }
    t.equal(target.requests.length, PROBES, 'no probe ran twice');
    await agent.waitForStatus({ isConnected: true, rows: 0 });
    t.match(await runProbe(api, 'http', body), { node_results: [{ success: true }] });
  },
);

t.test('an agent keeps its link during a database outage, and is asked for its results afterwards', async (t) => {
  const identity = await enrollPeer(api);
  const peer = await PeerAgent.connect(t, api.url, identity, { isAnswering: false });
  const { taskId } = await submit(api, 'tcp', { target: '127.0.0.1:1', node_id: identity.nodeId });
  await until('the job', () => peer.jobs.length === 1);
  await postgres.stop();
  const results = peer.jobs.map((job) => successOf(job.taskId, job.probeType));
  peer.sendResults(results, 1);
  const beats = () => peer.frames.filter(({ heartbeat }) => heartbeat !== null).length;
  const before = beats();
  await until('heartbeats that are answered', () => beats() > before + 4 || !peer.isOpen);
  t.ok(peer.isOpen, `the link is kept: ${JSON.stringify(peer.frames.find(({ close }) => close !== null)?.close)}`);
  t.notOk(
    peer.frames.some(({ ack }) => ack !== null),
    'nothing is acknowledged',
  );
  await postgres.start();
  await peer.waitFor('the request to begin again', ({ ack }) => ack?.rewind === true && ack.mark === 0);
  peer.sendResults(results, 1);
  const task = await finishedTask(api, taskId);
  t.match(task, { status: 'completed', node_results: [{ success: true }] });
  t.equal(task.node_results[0]?.late, undefined);
  t.ok(peer.isOpen);
});
