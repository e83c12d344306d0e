import t from 'tap';
import { finishedTask, submit } from './_support/probes.js';
import { RealAgent } from './_support/real-agent.js';
import { startReplicaPair } from './_support/replica-pair.js';
import { SlowTarget } from './_support/slow-target.js';
import { SseReader } from './_support/sse-reader.js';

t.test(
  'a probe submitted to one control plane is run by an agent of the other, and both return its result',
  async (t) => {
    const { proxy, entry, one, other } = await startReplicaPair(t);
    proxy.forwardTo(other.url);
    const agent = await RealAgent.start(t, entry);
    await agent.waitUntilOnline(one);
    const target = await SlowTarget.start(t);
    const body = { target: target.url('/held'), params: { timeout_ms: 30_000 }, node_id: agent.nodeId };
    const { taskId } = await submit(one, 'http', body);
    const polls = [one, other].map((api) => finishedTask(api, taskId));
    const streams = await Promise.all([one, other].map((api) => SseReader.open(t, api, taskId)));
    await target.waitForRequests(1);
    t.strictSame(
      streams.map(({ events }) => events),
      [[], []],
      'no response before a result exists',
    );
    target.release();
    const result = { node_id: agent.nodeId, success: true, status_code: 200, body: 'released' };
    for (const poll of polls) t.match(await poll, { status: 'completed', node_results: [result] });
    for (const stream of streams) {
      t.equal(await stream.ended, true);
      t.match(stream.events, [
        { event: 'probe.result', data: result },
        { event: 'probe.done', data: { task_id: taskId, status: 'completed' } },
      ]);
      t.equal(stream.events.length, 2);
    }
  },
);

t.test('when a replica stops, its agent continues with the other one and no probe is lost', async (t) => {
  const { proxy, entry, one, other, otherControlPlane } = await startReplicaPair(t);
  proxy.forwardTo(other.url);
  const agent = await RealAgent.start(t, entry);
  await agent.waitUntilOnline(one);
  const target = await SlowTarget.start(t);
  const { taskId } = await submit(one, 'http', { target: target.url('/held'), params: { timeout_ms: 30_000 } });
  await target.waitForRequests(1);
  proxy.forwardTo(one.url);
  await otherControlPlane.stop();
  target.release();
  t.match(await finishedTask(one, taskId), {
    status: 'completed',
    node_results: [{ node_id: agent.nodeId, success: true, late: undefined }],
  });
  t.equal(target.requests.length, 1, 'the probe ran once');
});
