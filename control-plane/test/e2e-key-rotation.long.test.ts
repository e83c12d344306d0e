import { until } from '@vantage/shared/_support/until.js';
import { delay, systemClock } from '@vantage/shared/clock.js';
import t from 'tap';
import { finishedTask, submit } from './_support/probes.js';
import { RealAgent } from './_support/real-agent.js';
import { startStack } from './_support/stack.js';

t.test('an agent killed at any moment of a key rotation comes back, and the rotation is completed', async (t) => {
  const { api } = await startStack(t);
  const agent = await RealAgent.start(t, api);
  const keyOf = async () => (await api.call('GET', '/v1/account/nodes')).body.data.items[0].key;
  const first = await keyOf();
  for (const afterMs of [0, 4, 12]) {
    t.match(await api.call('POST', `/v1/account/nodes/${agent.nodeId}/rotate-key`), { status: 200 });
    await delay(systemClock, afterMs);
    await agent.kill();
    await agent.run();
    await until('the new key', async () => (await keyOf()).rotation_requested_at === null);
  }
  t.not((await keyOf()).fingerprint, first.fingerprint);
  await agent.kill();
  const status = async () => (await api.call('GET', `/v1/nodes/${agent.nodeId}`)).body.data.status;
  await until('its link to be over', async () => (await status()) === 'offline');
  await agent.run();
  const { taskId } = await submit(api, 'tcp', { target: new URL(api.url).host, node_id: agent.nodeId });
  t.match(await finishedTask(api, taskId), { status: 'completed' });
});
