import t from 'tap';
import { killMidProbe } from './_support/killed-agent.js';
import { runProbe } from './_support/probes.js';
import { RealAgent } from './_support/real-agent.js';
import { SlowTarget } from './_support/slow-target.js';
import { startStack } from './_support/stack.js';

/** Far less than the 30 s that the probe would take. */
const SOON_MS = 20_000;

const { api, database } = await startStack(t);
const victim = await RealAgent.start(t, api, { name: 'one' });
const target = await SlowTarget.start(t);

t.test(
  'kill -9 of an agent during a probe ends the task with node_lost, without waiting for its timeout',
  async (t) => {
    const { task, endedAfterMs } = await killMidProbe(t, api, { victim, nodes: [victim], target });
    t.match(task, { status: 'failed', node_results: [{ success: false, error: { code: 'node_lost' } }] });
    t.ok(endedAfterMs <= SOON_MS, `${endedAfterMs} ms`);
    await victim.run();
    t.match(await runProbe(api, 'http', { target: target.url('/hello') }), { node_results: [{ success: true }] });
  },
);

t.test('kill -9 of one of two agents loses only its own result', async (t) => {
  const survivor = await RealAgent.start(t, api, { name: 'two' });
  const { task, endedAfterMs } = await killMidProbe(t, api, { victim, nodes: [victim, survivor], target });
  t.match(task, { status: 'completed', summary: { success_count: 1, fail_count: 1 } });
  const resultOf = (agent: RealAgent) =>
    task.node_results.find(({ node_id }: { node_id: string }) => node_id === agent.nodeId);
  t.match(resultOf(victim), { success: false, error: { code: 'node_lost' } });
  t.match(resultOf(survivor), { success: true, status_code: 200, error: null });
  t.ok(endedAfterMs <= SOON_MS, `${endedAfterMs} ms`);
  t.equal((await database.db.raw('SELECT FROM superseded_results')).rows.length, 0);
});
