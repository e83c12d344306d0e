import { until } from '@vantage/shared/_support/until.js';
import { encodeResult } from '@vantage/shared/protocol/codec.js';
import t from 'tap';
import { FakeControlPlane } from './_support/fake-control-plane.js';
import { startNode } from './_support/link-fixture.js';
import { startSlowRelay } from './_support/slow-relay.js';

/** The URL of a control plane at the end of a bad line. */
async function behind(t: import('tap').Test, controlPlane: FakeControlPlane, bytesPerMs: number, delayMs: number) {
  const port = await startSlowRelay(t, Number(new URL(controlPlane.url).port), { bytesPerMs, delayMs });
  return `http://127.0.0.1:${port}`;
}

t.test('results fill a slow line and the link survives, although its heartbeats wait behind them', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const url = await behind(t, controlPlane, 64, 5);
  const node = await startNode(t, controlPlane, { controlUrls: [url] });
  node.measuring.answersAtOnce = false;
  const peer = await controlPlane.nextOpenPeer({ heartbeatMs: 100, busyHeartbeatMs: 100 });
  peer.job('pt_1');
  await until('the node is busy', () => node.jobs.running === 1);
  const rows = 5;
  for (let i = 0; i < rows; i += 1)
    node.spool.append('task', encodeResult({ taskId: `t${i}`, resultJson: Buffer.alloc(40_000) }));
  node.jobs.onResult();
  let taken = 0;
  while (taken < rows) {
    const batch = await peer.next('results');
    taken = batch.first + batch.results.length - 1;
    peer.ack(batch);
  }
  t.equal(controlPlane.peers.length, 1);
  t.equal(node.link.status.state, 'open');
});

t.test('a round trip longer than three heartbeats does not count as silence', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const url = await behind(t, controlPlane, 1_000, 250);
  const node = await startNode(t, controlPlane, { controlUrls: [url] });
  node.measuring.answersAtOnce = false;
  const peer = await controlPlane.nextOpenPeer({ heartbeatMs: 60, busyHeartbeatMs: 60 });
  peer.job('pt_1');
  await until('the node is busy', () => node.jobs.running === 1);
  for (let i = 0; i < 20; i += 1) await peer.next('heartbeat');
  node.measuring.answer('pt_1');
  peer.ack(await peer.next('results'));
  await until('the result is known to be stored', () => node.spool.state().task.acked === 1);
  t.equal(controlPlane.peers.length, 1);
});
