import { until } from '@vantage/shared/_support/until.js';
import { type AgentFrame, laneCode } from '@vantage/shared/protocol/codec.js';
import { MAX_MESSAGE_FRAGMENTS } from '@vantage/shared/protocol/limits.js';
import t, { type Test } from 'tap';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { runProbe } from './_support/probes.js';
import { startStack, type TestApi } from './_support/stack.js';

// Attacks of a node with a valid key by sheer volume: it waits or is cut off, and other nodes continue to work.

const TASK = laneCode('task');
const checks = Array.from({ length: 200 }, () => ({ name: 'ipv4', status: 'ok', detail: 'x'.repeat(1_000) }));
const unknownStates = Array.from({ length: 500 }, () => ({ kind: 'x', subject: 'y', slotMs: 1 }));

/** Frames that are sent as fast as the socket takes them, and their number. */
const floods: readonly (readonly [string, number, (peer: PeerAgent, index: number) => AgentFrame])[] = [
  ['heartbeats', 5_000, () => ({ heartbeat: { sequence: 1, spoolRows: 2 ** 32 - 1 } })],
  ['self-tests', 200, () => ({ heartbeat: { sequence: 1, selfTest: { finishedAtMs: 2 ** 53 - 1, checks } } })],
  ['states', 1_000, () => ({ states: { states: unknownStates } })],
  ['dropped ranges', 500, ({ epoch }, at) => ({ dropped: { epoch, lane: TASK, first: at + 1, last: at + 1 } })],
  ['ranges up to 2^53', 500, ({ epoch }) => ({ dropped: { epoch, lane: TASK, first: 1, last: 2 ** 53 - 1 } })],
  ['batches of one row', 1_000, ({ epoch }, at) => batchAt(epoch, at + 1)],
  ['the same batch', 1_000, ({ epoch }) => batchAt(epoch, 1)],
];

function batchAt(epoch: Uint8Array, first: number): AgentFrame {
  return { results: { epoch, lane: TASK, first, results: [successOf('x', 'tcp')] } };
}

/** Runs a probe on the honest node, over the link that it has had from the beginning. */
async function worksOn(t: Test, api: TestApi, honest: PeerAgent): Promise<void> {
  const body = { target: '127.0.0.1:1', node_id: honest.identity.nodeId };
  t.match(await runProbe(api, 'tcp', body), { status: 'completed', node_results: [{ success: true }] });
  t.ok(honest.isOpen);
}

t.test('a node that floods with any frame waits or is cut off, and the others are served', async (t) => {
  const { api } = await startStack(t);
  const honest = await PeerAgent.connect(t, api.url, await enrollPeer(api, { name: 'honest' }));
  for (const [name, count, frameOf] of floods) {
    const peer = await PeerAgent.connect(t, api.url, await enrollPeer(api, { name }));
    for (let index = 0; index < count && peer.isOpen; index += 1) peer.send(frameOf(peer, index));
    await worksOn(t, api, honest);
    peer.cut();
  }
});

t.test('jobs that a node accepts and never answers count against that node alone', async (t) => {
  const { api } = await startStack(t);
  const honest = await PeerAgent.connect(t, api.url, await enrollPeer(api, { name: 'honest' }));
  const silent = await PeerAgent.connect(t, api.url, await enrollPeer(api, { name: 'silent' }), {
    isAnswering: false,
  });
  const body = { target: '127.0.0.1:1', node_id: silent.identity.nodeId };
  const asked = await Promise.all(Array.from({ length: 100 }, () => api.call('POST', '/v1/probe/tcp', { body })));
  t.ok(asked.every(({ status }) => status === 202));
  await until('its jobs', () => silent.jobs.length === 100);
  await worksOn(t, api, honest);
  silent.cut();
  const { task_id: taskId } = asked[0]?.body.data ?? {};
  t.match((await api.call('GET', `/v1/probe/tasks/${taskId}?wait=20`)).body.data, {
    node_results: [{ success: false, error: { code: 'node_lost' } }],
  });
});

t.test('a message with endless fragments closes its link after a thousand of them', async (t) => {
  const { api } = await startStack(t);
  const honest = await PeerAgent.connect(t, api.url, await enrollPeer(api, { name: 'honest' }));
  const peer = await PeerAgent.connect(t, api.url, await enrollPeer(api, { name: 'fragments' }));
  for (let index = 0; index <= MAX_MESSAGE_FRAGMENTS; index += 1) peer.sendFragment(Buffer.from([0x0a]));
  t.match(await peer.waitForClose(), { code: 1008 });
  await worksOn(t, api, honest);
});
