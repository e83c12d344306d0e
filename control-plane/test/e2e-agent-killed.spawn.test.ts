import t from 'tap';
import { killMidProbe } from './_support/killed-agent.js';
import { runProbe } from './_support/probes.js';
import { RealAgent } from './_support/real-agent.js';
import { SlowTarget } from './_support/slow-target.js';
import { startStack } from './_support/stack.js';

/** Far less than the 30 s that the probe would take. */
const SOON_MS = 20_000;

t.test(
  'kill -9 of an agent during a probe ends the task with node_lost, without waiting for its timeout',
  async (t) => {
    const { api } = await startStack(t);
    const agent = await RealAgent.start(t, api);
    const target = await SlowTarget.start(t);
    const { task, endedAfterMs } = await killMidProbe(t, api, { victim: agent, nodes: [agent], target });
    t.match(task, { status: 'failed', node_results: [{ success: false, error: { code: 'node_lost' } }] });
    t.ok(endedAfterMs <= SOON_MS, `${endedAfterMs} ms`);
    target.release();
    await agent.run();
    t.match(await runProbe(api, 'http', { target: target.url('/hello') }), { node_results: [{ success: true }] });
  },
);

t.test('kill -9 of one of two agents loses only its own result', async (t) => {
  const { api } = await startStack(t);
  const agents = [await RealAgent.start(t, api, { name: 'one' }), await RealAgent.start(t, api, { name: 'two' })];
  const [victim, survivor] = agents as [RealAgent, RealAgent];
  const target = await SlowTarget.start(t);
  const { task, endedAfterMs } = await killMidProbe(t, api, { victim, nodes: agents, target });
  t.equal(task.status, 'completed');
  const resultOf = (agent: RealAgent) =>
    task.node_results.find(({ node_id }: { node_id: string }) => node_id === agent.nodeId);
  t.match(resultOf(victim), { success: false, error: { code: 'node_lost' } });
  t.match(resultOf(survivor), { success: true, status_code: 200, error: null });
  t.ok(endedAfterMs <= SOON_MS, `${endedAfterMs} ms`);
});
