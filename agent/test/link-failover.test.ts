import { until } from '@vantage/shared/_support/until.js';
import { CloseReasonCode } from '@vantage/shared/protocol/codec.js';
import t from 'tap';
import { FakeControlPlane } from './_support/fake-control-plane.js';
import { startNode } from './_support/link-fixture.js';

/** Two replicas of one control plane. */
async function replicas(t: import('tap').Test) {
  const [first, second] = [await FakeControlPlane.start(t), await FakeControlPlane.start(t)];
  second.adopt(first);
  return { first, second };
}

t.test('if one control plane refuses, the next one is dialled, and used from then on', async (t) => {
  const { first, second } = await replicas(t);
  first.refuseWith = { status: 502, headers: {} };
  const node = await startNode(t, first, { controlUrls: [first.url, second.url] });
  await second.nextOpenPeer();
  await until('the link is open', () => node.link.status.state === 'open');
  first.refuseWith = null;
  second.peers[0]?.socket.terminate();
  await second.nextOpenPeer();
  t.equal(first.peers.length, 0);
});

t.test('a stopping replica names other addresses, which are tried first', async (t) => {
  const { first, second } = await replicas(t);
  await startNode(t, first, { controlUrls: [first.url] });
  const peer = await first.nextOpenPeer();
  peer.send({ close: { reason: CloseReasonCode.CLOSE_DRAINING, controlUrls: ['http://192.0.2.1', second.url] } });
  await second.nextOpenPeer();
  t.equal(first.peers.length, 1, 'and http to another machine is not tried at all');
});

t.test('other addresses are accepted only from a peer that has proved to be the control plane', async (t) => {
  const { first, second } = await replicas(t);
  await startNode(t, first, { controlUrls: [first.url] });
  const liar = await first.nextPeer();
  liar.send({ close: { reason: CloseReasonCode.CLOSE_DRAINING, controlUrls: [second.url] } });
  await first.nextOpenPeer();
  t.equal(second.peers.length, 0);
});

t.test('control URLs sent over the link apply at once and are stored', async (t) => {
  const { first, second } = await replicas(t);
  const kept: (readonly string[])[] = [];
  await startNode(t, first, { controlUrls: [first.url], kept });
  const peer = await first.nextOpenPeer({ controlUrls: [first.url, second.url, 'http://192.0.2.1'] });
  await until('they are kept', () => kept.length > 0);
  t.same(kept, [[first.url, second.url]]);
  first.refuseWith = { status: 503, headers: {} };
  peer.socket.terminate();
  await second.nextOpenPeer();
});
