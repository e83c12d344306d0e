import { generateKeyPairSync } from 'node:crypto';
import { until } from '@vantage/shared/_support/until.js';
import { newerCodec, newerFrame, oldestCodec } from '@vantage/shared/protocol/_support/schema-codec.js';
import { LaneCode } from '@vantage/shared/protocol/codec.js';
import t from 'tap';
import { FakeControlPlane, type FakePeer } from './_support/fake-control-plane.js';
import { startNode } from './_support/link-fixture.js';

// The agent of this build against control planes of other builds.

/** A job goes out, its result comes in and is acknowledged. */
async function goesRound(peer: FakePeer, taskId: string): Promise<void> {
  peer.job(taskId);
  const batch = await peer.next('results');
  if (batch.results.at(-1)?.taskId !== taskId) throw new Error(`no result of "${taskId}"`);
  peer.ack(batch);
}

for (const [name, codec] of [
  ['of the first build', oldestCodec()],
  ['of a future build', newerCodec()],
] as const) {
  t.test(`an agent works with a control plane ${name}`, async (t) => {
    const controlPlane = await FakeControlPlane.start(t);
    controlPlane.codec = codec;
    const node = await startNode(t, controlPlane);
    const peer = await controlPlane.nextOpenPeer();
    await goesRound(peer, 'pt_1');
    await until('the acknowledgement counts', () => node.spool.state().task.acked === 1);
    peer.send({ config: { heartbeatMs: 60_000, busyHeartbeatMs: 1000, denied: ['evil.example'] } });
    await until('the configuration counts', () => node.lists.length === 2);
    peer.send({ credits: { credits: [{ lane: LaneCode.LANE_TASK, rows: 10 }] } });
    peer.send({ cancel: { taskId: 'pt_1' } });
    await goesRound(peer, 'pt_2');
    t.equal(peer.isClosed, false);
    t.equal(controlPlane.peers.length, 1, 'over one link');
  });
}

t.test('an agent ignores unknown frames once the link is open, and logs the first one', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const lines: string[] = [];
  await startNode(t, controlPlane, { logLine: (line) => lines.push(line) });
  const peer = await controlPlane.nextOpenPeer();
  for (let i = 0; i < 3; i += 1) peer.socket.send(newerFrame());
  await goesRound(peer, 'pt_1');
  t.equal(peer.isClosed, false);
  t.equal(lines.filter((line) => /frames of a newer protocol/.test(line)).length, 1);
});

t.test('before the welcome a frame that an agent does not know ends the link', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane);
  const before = await controlPlane.nextPeer();
  before.socket.send(newerFrame());
  await before.closed();
  const between = await controlPlane.nextPeer();
  await between.challenge();
  await between.next('proof');
  between.socket.send(newerFrame());
  await between.closed();
  t.match(node.link.status.lastEnd, { kind: 'protocol_error', message: 'unexpected frame "unknown"' });
});

t.test(
  'an agent ignores marks and credits of unknown lanes, and treats an unknown reason as a lost link',
  async (t) => {
    const controlPlane = await FakeControlPlane.start(t);
    const node = await startNode(t, controlPlane);
    const peer = await controlPlane.nextOpenPeer({ strangeLane: 9 });
    peer.send({ credits: { credits: [{ lane: 9 as 1, rows: 7 }] } });
    await goesRound(peer, 'pt_1');
    peer.send({ close: { reason: 99 as 1, message: 'something new' } });
    const next = await controlPlane.nextOpenPeer();
    t.match(node.link.status.lastEnd, { kind: 'lost', message: 'something new' });
    next.send({ ack: { epoch: next.proof.epoch, lane: 9 as 1, mark: 1 } });
    await next.closed();
    await until('the end is known', () => node.link.status.lastEnd?.kind === 'protocol_error');
  },
);

t.test(
  'an agent that is too old for its control plane ends once the control plane itself has reported that',
  async (t) => {
    const controlPlane = await FakeControlPlane.start(t);
    const node = await startNode(t, controlPlane);
    await (await controlPlane.nextPeer()).refuseVersions([3, 2]);
    t.equal(await node.link.start(), 'upgrade_required');
    t.match(node.link.status.lastEnd, { kind: 'upgrade_required', message: 'this control plane speaks 3, 2' });
  },
);

t.test('an impostor of the control plane cannot end an agent by requesting another version', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane);
  for (const key of [null, generateKeyPairSync('ed25519').privateKey]) {
    await (await controlPlane.nextPeer()).refuseVersions([2], key);
    await until('the agent waits', () => node.link.status.lastEnd?.kind === 'no_common_version');
    t.equal(node.link.status.state === 'down', false);
  }
  await goesRound(await controlPlane.nextOpenPeer(), 'pt_1');
});

t.test('an agent that is newer than its control plane waits until the control plane is upgraded', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane);
  await (await controlPlane.nextPeer()).refuseVersions([0]);
  await until('the agent waits', () => node.link.status.lastEnd?.kind === 'no_common_version');
  await goesRound(await controlPlane.nextOpenPeer(), 'pt_1');
});

t.test('a control plane that picks a version the agent did not offer gets no proof', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane);
  for (const version of [0, 2, 2 ** 32 - 1]) {
    const peer = await controlPlane.nextPeer();
    await peer.challenge(controlPlane.keys.privateKey, version);
    await peer.closed();
    t.same(peer.unread('proof'), []);
    t.match(node.link.status.lastEnd, { kind: 'protocol_error', message: /was not offered/ });
  }
});
