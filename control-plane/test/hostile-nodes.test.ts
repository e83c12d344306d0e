import { until } from '@vantage/shared/_support/until.js';
import { laneCode } from '@vantage/shared/protocol/codec.js';
import t, { type Test } from 'tap';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { finishedTask, runProbe } from './_support/probes.js';
import { startStack, type TestApi } from './_support/stack.js';

// Attacks of a node with a valid key: it harms its own results, and no one else's.

const TASK = laneCode('task');

/** Runs a probe on the honest node, over the link that it has had from the beginning. */
async function worksOn(t: Test, api: TestApi, honest: PeerAgent): Promise<void> {
  const body = { target: '127.0.0.1:1', node_id: honest.identity.nodeId };
  t.match(await runProbe(api, 'tcp', body), { status: 'completed', node_results: [{ success: true }] });
  t.ok(honest.isOpen);
}

/** A task that waits for its node. */
async function aTask(api: TestApi, peer: PeerAgent): Promise<{ requestId: string; taskId: string }> {
  const before = peer.jobs.length;
  const body = { target: '127.0.0.1:1', node_id: peer.identity.nodeId };
  const { data } = (await api.call('POST', '/v1/probe/tcp', { body })).body;
  await until('the job', () => peer.jobs.length > before);
  return { requestId: data.task_id, taskId: peer.jobs.at(-1)?.taskId ?? '' };
}

t.test('a node that lies harms only its own results', async (t) => {
  const { api } = await startStack(t);
  const honest = await PeerAgent.connect(t, api.url, await enrollPeer(api, { name: 'honest' }), {
    isAnswering: false,
  });
  const liar = await PeerAgent.connect(t, api.url, await enrollPeer(api, { name: 'liar' }), {
    isAnswering: false,
  });
  const victim = await aTask(api, honest);
  const own = await aTask(api, liar);
  const real = successOf(own.taskId, 'tcp');
  const withJson = (json: string) => ({ ...real, resultJson: Buffer.from(json) });
  const result = JSON.parse(Buffer.from(real.resultJson ?? '').toString());
  liar.sendResults([
    successOf(victim.taskId, 'tcp'),
    successOf(own.taskId, 'http'),
    withJson(JSON.stringify({ ...result, started_at: '9999-12-31T23:59:59.999Z' })),
    { ...real, uncertaintyMs: 1, clockOffsetMs: 2 ** 53 - 1 },
    withJson(JSON.stringify({ ...result, banner: 'x'.repeat(300 * 1024) })),
    withJson('['.repeat(100_000)),
    withJson('{"__proto__":{"success":true}}'),
  ]);
  const { ack } = await liar.waitFor('the acknowledgement', (frame) => frame.ack !== null);
  t.equal(ack?.mark, 7, 'all of it is ignored');
  t.strictSame(
    ack?.rejects.map(({ sequence }) => sequence),
    [3, 4, 5, 6, 7],
  );
  for (const { requestId } of [victim, own]) {
    const { data } = (await api.call('GET', `/v1/probe/tasks/${requestId}`)).body;
    t.not(data.status, 'completed', 'it ends no task, not even its own with a result of another kind');
  }
  honest.sendResults([successOf(victim.taskId, 'tcp')]);
  t.match(await finishedTask(api, victim.requestId), { status: 'completed' });
});

t.test(
  'forged numbers and dropped ranges up to the last number cost a node its own lane, and affect no other node',
  async (t) => {
    const { api } = await startStack(t);
    const honest = await PeerAgent.connect(t, api.url, await enrollPeer(api, { name: 'honest' }));
    const liar = await PeerAgent.connect(t, api.url, await enrollPeer(api, { name: 'liar' }), { isAnswering: false });
    const results = [successOf('x', 'tcp')];
    liar.send({ results: { epoch: liar.epoch, lane: TASK, first: 2 ** 53 - 2, results } });
    const { ack } = await liar.waitFor('the response', (frame) => frame.ack !== null);
    t.match(ack, { mark: 0, rewind: true }, 'a gap is refused');
    liar.send({ dropped: { epoch: liar.epoch, lane: TASK, first: 1, last: 2 ** 53 - 1, reason: 'x'.repeat(10_000) } });
    await liar.waitFor('the acknowledgement', (frame) => frame.ack?.mark === 2 ** 53 - 1);
    liar.send({ results: { epoch: liar.epoch, lane: TASK, first: 2 ** 53 - 1, results } });
    t.equal((await liar.waitForClose()).reason, 'CLOSE_PROTOCOL_ERROR', 'no number is left');
    await worksOn(t, api, honest);
  },
);
