// alone: counts the sockets of its process

import { until } from '@vantage/shared/_support/until.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t, { type Test } from 'tap';
import { nodeResultSchema, taskSchema } from '../src/modules/probes/schema.js';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { submit } from './_support/probes.js';
import { SseReader } from './_support/sse-reader.js';
import { startStack } from './_support/stack.js';

/** A task on two nodes that answer when the test says so. */
async function runningTask(t: Test) {
  const { api } = await startStack(t);
  const peers: PeerAgent[] = [];
  for (const name of ['first', 'second']) {
    peers.push(await PeerAgent.connect(t, api.url, await enrollPeer(api, { name }), { isAnswering: false }));
  }
  const nodeIds = peers.map(({ identity }) => identity.nodeId);
  const { taskId, taskIds } = await submit(api, 'tcp', {
    target: '127.0.0.1:1',
    node_ids: nodeIds,
    params: { timeout_ms: 30_000 },
  });
  const answer = async (index: number) => {
    const peer = peers[index] as PeerAgent;
    await until('the job', () => peer.jobs.length === 1);
    peer.sendResults([successOf(taskIds[index] ?? '', 'tcp')]);
  };
  return { api, taskId, taskIds, nodeIds, answer };
}

t.test('an event stream sends each result as it arrives, then the whole task, and ends by itself', async (t) => {
  const { api, taskId, taskIds, nodeIds, answer } = await runningTask(t);
  const stream = await SseReader.open(t, api, taskId);
  t.match(stream, { status: 200, headers: { 'content-type': /^text\/event-stream/, 'cache-control': /no-/ } });
  await answer(1);
  await stream.waitForEvents(1);
  t.equal(stream.events.length, 1, 'the other result has not arrived');
  t.match(stream.events, [{ event: 'probe.result', id: taskIds[1], data: { node_id: nodeIds[1], success: true } }]);
  await answer(0);
  t.equal(await stream.ended, true);
  const [, second, done, ...rest] = stream.events;
  const succeeded = { node_id: nodeIds[0], error: null, success: true };
  t.match(second, { event: 'probe.result', id: taskIds[0], data: succeeded });
  t.match(done, { event: 'probe.done', id: taskId, data: { status: 'completed', summary: { success_count: 2 } } });
  t.strictSame(rest, []);
  t.match(compileSchema(nodeResultSchema('tcp'))(second?.data), { ok: true }, 'a result is as documented');
  t.match(compileSchema(taskSchema('tcp'))(done?.data), { ok: true }, 'a task is as documented');
});

t.test('an event stream of a finished task sends everything at once', async (t) => {
  const { api, taskId, answer } = await runningTask(t);
  await Promise.all([answer(0), answer(1)]);
  await api.call('GET', `/v1/probe/tasks/${taskId}?wait=30`);
  const stream = await SseReader.open(t, api, taskId);
  t.equal(await stream.ended, true);
  t.strictSame(
    stream.events.map(({ event }) => event),
    ['probe.result', 'probe.result', 'probe.done'],
  );
});

t.test('callers that disconnect during a stream leave nothing behind', async (t) => {
  const { api, taskId, answer } = await runningTask(t);
  const active = (kind: string) => process.getActiveResourcesInfo().filter((name) => name === kind).length;
  const before = { timers: active('Timeout'), sockets: active('TCPSocketWrap') };
  const streams = await Promise.all(Array.from({ length: 40 }, () => SseReader.open(t, api, taskId)));
  await answer(0);
  for (const stream of streams) await stream.waitForEvents(1);
  // each has a socket at both ends, and a polling timer while it waits
  await until('the readers to wait', () => active('Timeout') >= before.timers + streams.length / 2);
  for (const stream of streams) stream.cut();
  await until('the sockets to be closed', () => active('TCPSocketWrap') < before.sockets + streams.length / 2);
  let goneSince: number | null = null;
  const areGone = () => {
    const isQuiet = active('Timeout') < before.timers + streams.length / 2;
    goneSince = isQuiet ? (goneSince ?? performance.now()) : null;
    // a stream that polls every two seconds has no timer during the poll
    return goneSince !== null && performance.now() - goneSince > 2_500;
  };
  await until('the readers to end', areGone);
  const last = await SseReader.open(t, api, taskId);
  await answer(1);
  t.equal(await last.ended, true, 'other callers are served');
});
