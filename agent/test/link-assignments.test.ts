import { until } from '@vantage/shared/_support/until.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { ServerFrame } from '@vantage/shared/protocol/codec.js';
import t from 'tap';
import { FakeControlPlane } from './_support/fake-control-plane.js';
import { startNode } from './_support/link-fixture.js';

const monitorId = newId(idPrefixes.monitor);

t.test('the proof says what the node watches, and what it is to watch is passed on', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane, { assignmentsDigest: Buffer.alloc(32, 7) });
  const peer = await controlPlane.nextOpenPeer();
  t.same(Buffer.from(peer.proof.assignmentsDigest), Buffer.alloc(32, 7));
  peer.send({
    assignments: {
      set: [{ monitorId, generation: 9, specJson: Buffer.from('not JSON') }],
      dropped: [monitorId],
      begins: true,
    },
  });
  await until('it is passed on', () => node.changes.length > 0);
  t.same(node.leases, [0], 'with the configuration');
  const set = [{ monitorId, generation: 9, specJson: 'not JSON' }];
  t.same(node.changes, [{ set, dropped: [monitorId], begins: true, ends: false }]);
});

t.test('a requested check is passed on', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane);
  const peer = await controlPlane.nextOpenPeer();
  peer.send({ checkNow: { monitorId, generation: 9, request: 'ask_1' } });
  await until('it is passed on', () => node.asks.length > 0);
  t.same(node.asks, [{ monitorId, generation: 9, request: 'ask_1' }]);
});

t.test('assignments that no control plane sends end the link', async (t) => {
  const specJson = Buffer.from('{}');
  const frames: Record<string, ServerFrame> = {
    'no id': { assignments: { set: [{ generation: 1, specJson }] } },
    'an id of something else': {
      assignments: { set: [{ monitorId: newId(idPrefixes.node), generation: 1, specJson }] },
    },
    'an odd id to drop': { assignments: { dropped: ['m_'] } },
    'a specification of megabytes': {
      assignments: { set: [{ monitorId, generation: 1, specJson: Buffer.alloc(70_000) }] },
    },
    'a check of something else': { checkNow: { monitorId: newId(idPrefixes.node), generation: 1 } },
    'a check asked for at length': { checkNow: { monitorId, generation: 1, request: 'x'.repeat(65) } },
    'a lease of ages': { config: { heartbeatMs: 1000, busyHeartbeatMs: 1000, leaseSeconds: 4_000_000_000 } },
  };
  for (const [name, frame] of Object.entries(frames)) {
    const controlPlane = await FakeControlPlane.start(t);
    const node = await startNode(t, controlPlane);
    const peer = await controlPlane.nextOpenPeer();
    peer.send(frame);
    await peer.closed();
    await until('it is known why', () => node.link.status.lastEnd !== null);
    t.equal(node.link.status.lastEnd?.kind, 'protocol_error', name);
    t.same([...node.changes, ...node.asks], [], name);
    await node.stop();
  }
});
