import { untilRight } from '@vantage/shared/_support/attempts.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { finishedTask, runProbe, submit } from './_support/probes.js';
import { RealAgent } from './_support/real-agent.js';
import { startReplicaPair } from './_support/replica-pair.js';
import { SlowTarget } from './_support/slow-target.js';
import { startStack } from './_support/stack.js';
import { watchStalls } from './_support/stalls.js';

const LIMIT_MS = 1_000;
/** The link of an agent that is cut off late because the product waits is cut off late every time. */
const ATTEMPTS = 4;

t.test(
  'a banned agent is cut off within a second by the other replica, ends, and may return after unban',
  async (t) => {
    const { database, proxy, entry, one, other } = await startReplicaPair(t);
    proxy.forwardTo(other.url);
    const agent = await RealAgent.start(t, entry);
    const path = `/v1/admin/nodes/${agent.nodeId}`;
    const findSession = () => database.db('nodes').where({ id: agent.nodeId }).first('session_id');

    /** Bans the agent during a probe, and admits it again. @returns the time in which its link was closed */
    async function banMidProbe(): Promise<number> {
      await agent.waitUntilOnline(one);
      const target = await SlowTarget.start(t);
      const { taskId } = await submit(one, 'http', { target: target.url('/held'), params: { timeout_ms: 30_000 } });
      await target.waitForRequests(1);
      const longestStall = watchStalls();
      const bannedAt = performance.now();
      t.match(await one.call('POST', `${path}/ban`, { body: { reason: 'forged results' } }), { status: 200 });
      await until('the link to be closed', async () => (await findSession()).session_id === null);
      const closedAfterMs = Math.round(performance.now() - bannedAt - longestStall());
      t.comment(`the link was closed ${closedAfterMs} ms after the ban`);
      t.match(await finishedTask(one, taskId), { status: 'failed', node_results: [{ error: { code: 'node_lost' } }] });
      t.match(await agent.program.ended, { code: 3, stderr: /this node is banned/ });
      t.match(await agent.launch().ended, { code: 3 }, 'it is refused while it is banned');
      target.release();

      t.match(await one.call('POST', `${path}/unban`), { status: 200, body: { data: { status: 'offline' } } });
      await agent.run();
      await agent.waitUntilOnline(one);
      t.match(await runProbe(one, 'http', { target: target.url('/hello') }), { node_results: [{ success: true }] });
      t.match(await finishedTask(one, taskId), { status: 'failed' }, 'tasks that ended with the ban stay ended');
      return closedAfterMs;
    }

    const closedAfterMs = await untilRight(banMidProbe, (ms) => ms <= LIMIT_MS, ATTEMPTS);
    t.ok(closedAfterMs <= LIMIT_MS, `${closedAfterMs} ms`);
  },
);

t.test('an agent that is banned while it is offline learns it when it comes back', async (t) => {
  const { api } = await startStack(t);
  const agent = await RealAgent.enroll(t, api);
  await api.call('POST', `/v1/admin/nodes/${agent.nodeId}/ban`, { body: { reason: 'sold' } });
  t.match(await agent.launch().ended, { code: 3, stderr: /this node is banned/ });
});
