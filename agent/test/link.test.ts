import { generateKeyPairSync } from 'node:crypto';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { encodeResult } from '@vantage/shared/protocol/codec.js';
import { isSignatureValid } from '@vantage/shared/protocol/ed25519.js';
import { agentProofBytes } from '@vantage/shared/protocol/transcript.js';
import t from 'tap';
import { FakeControlPlane } from './_support/fake-control-plane.js';
import { startNode } from './_support/link-fixture.js';

t.test('both sides prove who they are, then the link is open', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane);
  const peer = await controlPlane.nextPeer();
  const transcript = await peer.welcome({ denied: ['evil.example'] });
  t.match(peer.hello, { nodeId: 'n_test', protocolVersions: [1], generation: 1, capabilities: ['icmp'] });
  t.ok(isSignatureValid(controlPlane.nodeKeys.publicKey, agentProofBytes(transcript), peer.proof.signature));
  t.same(Buffer.from(peer.proof.epoch), Buffer.from(node.spool.epoch));
  await until('the link is open', () => node.link.status.state === 'open');
  t.match(node.link.status, { url: controlPlane.url });
  t.same(node.lists, [{ own: [], denied: ['evil.example'] }]);
});

t.test('a control plane that cannot sign with the pinned key gets no proof', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane);
  const peer = await controlPlane.nextPeer();
  await peer.challenge(generateKeyPairSync('ed25519').privateKey);
  await peer.closed();
  t.equal(peer.unread('proof').length, 0);
  t.match(node.link.status.lastEnd, { kind: 'wrong_server' });
  await controlPlane.nextOpenPeer();
  await until('the right one is taken', () => node.link.status.state === 'open');
});

t.test('every connection takes a new generation and a new nonce, in one boot', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  await startNode(t, controlPlane);
  const first = await controlPlane.nextOpenPeer();
  first.socket.terminate();
  const second = await controlPlane.nextOpenPeer();
  t.equal(second.hello.generation, 2);
  t.equal(second.hello.bootId, first.hello.bootId);
  t.notSame(second.hello.agentNonce, first.hello.agentNonce);
});

t.test('a task runs once, however often its job comes, over however many links', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane);
  node.measuring.answersAtOnce = false;
  const first = await controlPlane.nextOpenPeer();
  first.job('pt_1');
  first.job('pt_1');
  await until('the job is measured', () => node.measuring.jobs.length > 0);
  first.socket.terminate();
  const second = await controlPlane.nextOpenPeer();
  t.same(second.proof.runningTaskIds, ['pt_1']);
  second.job('pt_1');
  node.measuring.answer('pt_1');
  second.ack(await second.next('results'));
  second.job('pt_1');
  second.job('pt_2');
  await until('the next job is measured', () => node.measuring.jobs.some((job) => job.id === 'pt_2'));
  t.same(
    node.measuring.jobs.map((job) => job.id),
    ['pt_1', 'pt_2'],
  );
});

t.test('a cancel reaches the probe; one for a task that does not run has no effect', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane);
  node.measuring.answersAtOnce = false;
  const peer = await controlPlane.nextOpenPeer();
  peer.job('pt_1');
  peer.send({ cancel: { taskId: 'pt_unknown' } });
  peer.send({ cancel: { taskId: 'pt_1' } });
  await until('a cancel arrives', () => node.measuring.cancelled.length > 0);
  t.same(node.measuring.cancelled, ['pt_1']);
});

t.test('addresses of the control plane are tried in turn', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const gone = await FakeControlPlane.start(t);
  gone.stop();
  const node = await startNode(t, controlPlane, { controlUrls: [gone.url, controlPlane.url] });
  await controlPlane.nextOpenPeer();
  t.match(node.link.status.lastEnd, { kind: 'unreachable' });
});

t.test('the link leaves from the address it is bound to', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  await startNode(t, controlPlane, { bindAddress: '127.0.1.7' });
  t.equal((await controlPlane.nextOpenPeer()).remoteAddress, '127.0.1.7');
});

t.test('heartbeats report the number of jobs of their link, including refused ones', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  await startNode(t, controlPlane);
  const peer = await controlPlane.nextOpenPeer({ heartbeatMs: 10, busyHeartbeatMs: 10 });
  const saysJobs = (count: number, from = peer) =>
    until(`a heartbeat after ${count} jobs`, () =>
      from.unread('heartbeat').some(({ heartbeat }) => heartbeat?.jobsReceived === count),
    );
  await saysJobs(0);
  peer.job('pt_1');
  await peer.next('results');
  await saysJobs(1);
  peer.job('pt_1');
  await saysJobs(2);
  peer.socket.terminate();
  await saysJobs(0, await controlPlane.nextOpenPeer());
});

t.test('a change of configuration counts at once: deny list and heartbeats', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane);
  const peer = await controlPlane.nextOpenPeer({ heartbeatMs: 600_000, busyHeartbeatMs: 600_000 });
  await peer.next('heartbeat');
  peer.send({
    config: { heartbeatMs: 10, busyHeartbeatMs: 10, ownAddresses: ['192.0.2.1'], denied: ['evil.example'] },
  });
  await until('the lists arrive', () => node.lists.length === 2);
  t.same(node.lists[1], { own: ['192.0.2.1'], denied: ['evil.example'] });
  node.measuring.answersAtOnce = false;
  peer.job('pt_1');
  await until('busy heartbeats come', () => peer.unread('heartbeat').length >= 4);
});

t.test('results that are ready when the agent stops are sent first', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  // on a clock that stands still the agent waits for them as long as it takes
  const node = await startNode(t, controlPlane, { clock: new FakeClock() });
  const peer = await controlPlane.nextOpenPeer();
  await until('the link is open', () => node.link.status.state === 'open');
  await node.spool.append('task', encodeResult({ taskId: 'pt_1' })).durable;
  node.jobs.onResult();
  await node.link.stop();
  t.equal((await peer.next('results')).results[0]?.taskId, 'pt_1');
});
