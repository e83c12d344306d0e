import { existsSync } from 'node:fs';
import path from 'node:path';
import { untilRight } from '@vantage/shared/_support/attempts.js';
import { lastingPort } from '@vantage/shared/_support/lasting-port.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { createTestDatabase } from './_support/database.js';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { finishedTask, submit } from './_support/probes.js';
import { processesMentioning } from './_support/processes.js';
import type { Ending } from './_support/program.js';
import { RealAgent } from './_support/real-agent.js';
import { createAdminByCommand, runControlCommand, startServer } from './_support/real-server.js';
import { SlowTarget } from './_support/slow-target.js';
import { SseReader } from './_support/sse-reader.js';
import { apiOf, startStack } from './_support/stack.js';
import { TcpProxy } from './_support/tcp-proxy.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

const settings = { VANTAGE_LISTEN: '127.0.0.1:0', VANTAGE_METRICS_LISTEN: 'off', VANTAGE_ALLOW_TARGETS: '127.0.0.0/8' };

/** Number of times that a test begins again at most, where the machine stood still in a moment that matters. */
const ATTEMPTS = 3;
/** Time in which a probe surely ends soon enough for an agent that stops, which waits for 2 s. */
const SOON_MS = 1_500;

/**
 * Stops an agent during a probe of `target`, which responds once the agent says that it stops. @returns how the agent
 * ended, and whether the response came soon
 */
async function stopDuringProbe(
  { program }: RealAgent,
  target: SlowTarget,
): Promise<{ ending: Ending; isSoon: boolean }> {
  const ending = program.terminate();
  const line = () => program.stderr.split('\n').find((each) => each.includes('"stopping"')) ?? '';
  await until('the agent to stop', () => line() !== '');
  target.release();
  const isSoon = Date.now() - Date.parse(/"time":"([^"]+)"/.exec(line())?.[1] ?? '') < SOON_MS;
  return { ending: await ending, isSoon };
}

t.test(
  'after SIGTERM a control plane answers waiting callers, sends its agents elsewhere and exits with code 0',
  async (t) => {
    const { url: databaseUrl, db } = await createTestDatabase(t);
    const environment = { ...settings, VANTAGE_DATABASE_URL: databaseUrl, VANTAGE_DATA_DIR: temporaryDirectory(t) };
    const { url, program } = await startServer(t, environment);
    const api = await createAdminByCommand(url, environment);
    const identity = await enrollPeer(api);
    const begin = async () => {
      const peer = await PeerAgent.connect(t, url, identity, { isAnswering: false });
      const { taskId } = await submit(api, 'tcp', { target: '127.0.0.1:1' });
      const poll = api.call('GET', `/v1/probe/tasks/${taskId}?wait=30`);
      return { peer, taskId, poll, stream: await SseReader.open(t, api, taskId) };
    };
    // where this process stood still, its agent was silent, and lost
    const { peer, taskId, poll, stream } = await untilRight(begin, (begun) => begun.peer.isOpen, ATTEMPTS);
    const ending = program.terminate();
    t.match(await poll, { status: 200, body: { data: { task_id: taskId, status: 'running', node_results: [] } } });
    t.equal(await stream.ended, true, 'the event stream ends cleanly');
    t.equal((await peer.waitForClose()).reason, 'CLOSE_DRAINING');
    t.match(await ending, { code: 0, signal: null, stderr: '' });
    t.strictSame(await db('replicas').pluck('id'), []);
    t.match(await db('nodes').select('session_id', 'replica_id'), [{ session_id: null, replica_id: null }]);
  },
);

t.test('SIGTERM ends a control plane with its embedded database, and no process is left', async (t) => {
  const dataDir = path.join(temporaryDirectory(t), 'data');
  const { program } = await startServer(t, { ...settings, VANTAGE_DATA_DIR: dataDir });
  t.not(processesMentioning(dataDir).length, 0, 'the database and its guardian');
  t.match(await program.terminate(), { code: 0, signal: null, stderr: '' });
  t.strictSame(processesMentioning(dataDir), []);
  t.notOk(existsSync(path.join(dataDir, 'database.json')));
});

t.test('a stopped control plane ends even with handles still open', async (t) => {
  const { url } = await createTestDatabase(t);
  const isHeldOpen = '--import data:text/javascript,setInterval(()=>{},1000)';
  const environment = { ...settings, VANTAGE_DATABASE_URL: url, VANTAGE_DATA_DIR: temporaryDirectory(t) };
  const { program } = await startServer(t, { ...environment, NODE_OPTIONS: isHeldOpen });
  t.match(await program.terminate(), { code: 0, signal: null, stdout: '"stopped"', stderr: '' });
});

t.test('a command or a control plane that failed ends even with handles still open', async (t) => {
  const nobody = `postgres://nobody@127.0.0.1:${await lastingPort()}/none`;
  const isHeldOpen = '--import data:text/javascript,setInterval(()=>{},1000)';
  const environment = { ...settings, VANTAGE_DATABASE_URL: nobody, VANTAGE_DATA_DIR: temporaryDirectory(t) };
  for (const args of [['serve'], ['user', 'list']]) {
    const ending = await runControlCommand({ args, environment: { ...environment, NODE_OPTIONS: isHeldOpen } });
    t.match(ending, { code: 1, signal: null, stderr: 'vantage-control: cannot use the database: ' }, args.join(' '));
  }
});

t.test('after SIGTERM an agent finishes and delivers a probe that ends soon', async (t) => {
  const { api } = await startStack(t);
  const agent = await RealAgent.enroll(t, api);
  const attempt = async () => {
    await agent.run();
    const target = await SlowTarget.start(t);
    const { taskId } = await submit(api, 'http', { target: target.url('/held'), params: { timeout_ms: 30_000 } });
    await target.waitForRequests(1);
    return { taskId, ...(await stopDuringProbe(agent, target)) };
  };
  const stopped = await untilRight(attempt, ({ isSoon }) => isSoon, ATTEMPTS);
  t.match(stopped.ending, { code: 0, signal: null });
  const task = await finishedTask(api, stopped.taskId);
  t.match(task, { status: 'completed', node_results: [{ success: true, body: 'released' }] });
  t.equal(task.node_results[0]?.late, undefined);
  t.strictSame(processesMentioning(agent.stateDir), []);
  t.match(await agent.status(), { is_running: false, agent: null });
});

t.test('a probe that ends while an agent stops without a control plane is delivered by its next process', async (t) => {
  const proxy = await TcpProxy.start(t);
  const { api: direct } = await startStack(t, { VANTAGE_PUBLIC_URL: proxy.url });
  proxy.forwardTo(direct.url);
  const agent = await RealAgent.enroll(t, apiOf(proxy.url, direct.token, direct.userId));
  const attempt = async () => {
    proxy.forwardTo(direct.url);
    await agent.run();
    const target = await SlowTarget.start(t);
    const { taskId } = await submit(direct, 'http', { target: target.url('/held'), params: { timeout_ms: 30_000 } });
    await target.waitForRequests(1);
    proxy.cut();
    return { taskId, target, ...(await stopDuringProbe(agent, target)) };
  };
  const { taskId, target, ending } = await untilRight(attempt, ({ isSoon }) => isSoon, ATTEMPTS);
  t.match(ending, { code: 0, signal: null });
  t.match(await finishedTask(direct, taskId), { status: 'failed', node_results: [{ error: { code: 'node_lost' } }] });
  proxy.forwardTo(direct.url);
  await agent.run();
  await until('the result', async () => (await finishedTask(direct, taskId)).status === 'completed');
  t.match(await finishedTask(direct, taskId), { node_results: [{ success: true, body: 'released', late: true }] });
  t.equal(target.requests.length, 1);
});
