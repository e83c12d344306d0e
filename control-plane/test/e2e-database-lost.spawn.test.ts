import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { finishedTask, runProbe, submit } from './_support/probes.js';
import { RealAgent } from './_support/real-agent.js';
import { runControlCommand } from './_support/real-server.js';
import { startRestartablePostgres } from './_support/restartable-postgres.js';
import { SlowTarget } from './_support/slow-target.js';
import { createAdmin, startReplica, type TestApi } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

const PROBES = 5;

/** Status of a page that is not enveloped. */
async function statusOf(api: TestApi, path: string): Promise<number> {
  const response = await fetch(new URL(path, api.url));
  await response.text();
  return response.status;
}

t.test(
  'during a database outage requests get 503 and agents keep their results; afterwards all work continues',
  async (t) => {
    const postgres = await startRestartablePostgres(t);
    const api = await createAdmin(await startReplica(t, postgres.url));
    const agent = await RealAgent.start(t, api);
    const target = await SlowTarget.start(t);
    const body = { target: target.url('/held'), params: { timeout_ms: 30_000 } };
    const tasks = await Promise.all(Array.from({ length: PROBES }, () => submit(api, 'http', body)));
    await target.waitForRequests(PROBES);
    await until('the control plane to be ready', async () => (await statusOf(api, '/readyz')) === 200);

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
  const postgres = await startRestartablePostgres(t);
  const api = await createAdmin(await startReplica(t, postgres.url));
  const identity = await enrollPeer(api);
  const peer = await PeerAgent.connect(t, api.url, identity, { isAnswering: false });
  const { taskId } = await submit(api, 'tcp', { target: '127.0.0.1:1' });
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

t.test('a control plane that finds no database reports it in one line and does not start', async (t) => {
  const ending = await runControlCommand({
    args: ['serve'],
    environment: {
      VANTAGE_DATABASE_URL: 'postgres://vantage:secret@127.0.0.1:1/vantage',
      VANTAGE_DATA_DIR: temporaryDirectory(t),
      VANTAGE_LISTEN: '127.0.0.1:0',
    },
  });
  t.match(ending, { code: 1, stdout: '', stderr: /^vantage-control: cannot use the database: .*ECONNREFUSED.*\n$/ });
  t.equal(ending.stderr.split('\n').length, 2, 'one line');
  t.notMatch(ending.stderr, 'secret');
});
