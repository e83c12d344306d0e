import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { enrollPeer, PeerAgent, type PeerOptions, successOf } from './_support/peer-agent.js';
import { startReplica, startStack } from './_support/stack.js';

const MINUTE_MS = 60_000;

const [first, second] = [new FakeClock(Date.now(), { rounds: [] }), new FakeClock(Date.now(), { rounds: [] })];
const { api, controlPlane, database } = await startStack(t, {}, first);
const other = await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: api.url }, second);

/** Two replicas whose clocks differ; the second has the link of a node that answers nothing by itself. */
async function twoReplicas(t: Test, firstIsAheadMs: number) {
  first.setWall(second.now() + firstIsAheadMs);
  const identity = await enrollPeer(api);
  const connect = (options: PeerOptions) =>
    PeerAgent.connect(t, other.listenUrl, identity, { isAnswering: false, ...options });
  const peer = await connect({ bootId: 'boot-1' });
  await controlPlane.services.nodes.directory.load();
  const body = { target: '127.0.0.1:1', node_id: identity.nodeId };
  const submit = async () => (await api.call('POST', '/v1/probe/tcp', { body })).body.data;
  const read = async (taskId: string) => (await api.call('GET', `/v1/probe/tasks/${taskId}`)).body.data;
  return { peer, connect, submit, read };
}

t.test('a task of a replica whose clock is a minute behind is given to a process that has just linked', async (t) => {
  const { peer, submit, read } = await twoReplicas(t, -MINUTE_MS);
  const [task, over] = [await submit(), await submit()];
  await until('the jobs', () => peer.jobs.length === 2);
  await database
    .db('probe_node_tasks')
    .whereIn('id', over.task_ids)
    .update({ expires_at: new Date(0) });
  // three seconds without a heartbeat would cut the link
  for (let seconds = 0; seconds < 2; seconds += 1) second.advance(1_000);
  await until('a sweep', async () => (await read(over.task_id)).status === 'failed');
  peer.sendResults([successOf(task.task_ids[0], 'tcp')], 1);
  await peer.waitFor('the acknowledgement', (frame) => frame.ack?.mark === 1);
  const ended = await read(task.task_id);
  t.match(ended, { status: 'completed', node_results: [{ success: true }] });
  t.equal(ended.node_results[0].late, undefined, 'no task was given up');
});

t.test(
  'a task of a replica whose clock is a minute ahead is not given to the process that follows its first one',
  async (t) => {
    const { peer, connect, submit, read } = await twoReplicas(t, MINUTE_MS);
    const { task_id: taskId } = await submit();
    await until('the job', () => peer.jobs.length === 1);
    peer.cut();
    const next = await connect({ bootId: 'boot-2', epoch: peer.epoch });
    await until('its end', async () => (await read(taskId)).status === 'failed');
    t.match(await read(taskId), { node_results: [{ error: { code: 'node_lost' } }] });
    t.strictSame(next.jobs, []);
  },
);
