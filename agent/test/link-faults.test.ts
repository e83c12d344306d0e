import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { CloseReasonCode, encodeServerFrame, LaneCode } from '@vantage/shared/protocol/codec.js';
import { WS_CLOSE_BANNED, WS_CLOSE_DELETED } from '@vantage/shared/protocol/limits.js';
import t from 'tap';
import { FakeControlPlane } from './_support/fake-control-plane.js';
import { isBack, startNode } from './_support/link-fixture.js';

/** Lets pending promises settle. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

const malformed: { name: string; bytes: Buffer | string }[] = [
  { name: 'random bytes', bytes: Buffer.from('ffffffffffffffff', 'hex') },
  { name: 'an empty message', bytes: Buffer.alloc(0) },
  { name: 'a truncated frame', bytes: Buffer.from([0x22, 0x7f, 0x01]) },
  { name: 'a text message', bytes: Buffer.from(encodeServerFrame({ credits: {} })).toString() },
];
for (const { name, bytes } of malformed) {
  t.test(`${name} from the control plane ends that link and nothing else`, async (t) => {
    const controlPlane = await FakeControlPlane.start(t);
    const node = await startNode(t, controlPlane);
    node.measuring.answersAtOnce = false;
    const first = await controlPlane.nextOpenPeer();
    first.job('pt_1');
    await until('the job runs', () => node.jobs.running === 1);
    first.socket.send(bytes);
    await first.closed();
    const second = await controlPlane.nextOpenPeer();
    t.same(second.proof.runningTaskIds, ['pt_1']);
    t.match(node.link.status.lastEnd, { kind: 'protocol_error' });
  });
}

t.test('frames out of order or out of range end the link', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane);
  const early = await controlPlane.nextPeer();
  early.job('pt_1');
  await early.closed();
  const late = await controlPlane.nextOpenPeer();
  late.send({ challenge: { serverNonce: late.serverNonce, protocolVersion: 1 } });
  const tooEarly = await reopened(late, controlPlane);
  tooEarly.send({ ack: { epoch: tooEarly.proof.epoch, lane: LaneCode.LANE_TASK, mark: 7 } });
  const ahead = await reopened(tooEarly, controlPlane);
  await ahead.next('heartbeat');
  ahead.send({ ack: { epoch: ahead.proof.epoch, lane: LaneCode.LANE_TASK, mark: 7 } });
  const unknownLane = await reopened(ahead, controlPlane);
  unknownLane.send({ credits: { credits: [{ lane: LaneCode.LANE_UNSPECIFIED, rows: 5 }] } });
  const flood = await reopened(unknownLane, controlPlane);
  flood.send({ config: { heartbeatMs: 0, busyHeartbeatMs: 0 } });
  const nameless = await reopened(flood, controlPlane);
  nameless.send({ job: { taskId: '', probeType: 'tcp', deadlineMs: 1000 } });
  await nameless.closed();
  t.equal(node.measuring.jobs.length, 0);
});

t.test('a banned node stays down, by frame and by close code', async (t) => {
  const byFrame = await FakeControlPlane.start(t);
  const first = await startNode(t, byFrame);
  (await byFrame.nextOpenPeer()).send({ close: { reason: CloseReasonCode.CLOSE_BANNED, message: 'spam' } });
  t.equal(await first.link.start(), 'banned');
  t.match(first.link.status, { state: 'down', lastEnd: { kind: 'banned', message: 'spam' } });
  const byCode = await FakeControlPlane.start(t);
  const second = await startNode(t, byCode);
  (await byCode.nextOpenPeer()).socket.close(WS_CLOSE_BANNED);
  t.equal(await second.link.start(), 'banned');
});

t.test('a deleted node stays down and reports that it was deleted, by frame and by close code', async (t) => {
  const byFrame = await FakeControlPlane.start(t);
  const first = await startNode(t, byFrame);
  (await byFrame.nextOpenPeer()).send({ close: { reason: CloseReasonCode.CLOSE_DELETED, message: 'gone' } });
  t.equal(await first.link.start(), 'deleted');
  t.match(first.link.status, { state: 'down', lastEnd: { kind: 'deleted', message: 'gone' } });
  const byCode = await FakeControlPlane.start(t);
  const second = await startNode(t, byCode);
  (await byCode.nextOpenPeer()).socket.close(WS_CLOSE_DELETED);
  t.equal(await second.link.start(), 'deleted');
});

t.test('the agent stays away as long as the control plane asks', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const clock = new FakeClock();
  const node = await startNode(t, controlPlane, { clock });
  (await controlPlane.nextOpenPeer()).send({
    close: { reason: CloseReasonCode.CLOSE_OVERLOADED, retryAfterMs: 30_000 },
  });
  await until('the agent waits', () => node.link.status.state === 'waiting');
  clock.advance(29_999);
  await settle();
  t.equal(node.link.status.state, 'waiting');
  clock.advance(1);
  await controlPlane.nextOpenPeer();
});

t.test('a state directory that takes no new generation is waited for', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const clock = new FakeClock();
  const generations = { last: 0, isDiskFull: true };
  const node = await startNode(t, controlPlane, { clock, generations });
  await until('the agent waits', () => node.link.status.state === 'waiting');
  t.match(node.link.status.lastEnd, { kind: 'unreachable', message: /ENOSPC/ });
  generations.isDiskFull = false;
  clock.advance(500);
  t.equal((await controlPlane.nextOpenPeer()).hello.generation, 1);
});

t.test('a refused upgrade is tried again, not before Retry-After', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  controlPlane.refuseWith = { status: 503, headers: { 'Retry-After': '2' } };
  const clock = new FakeClock();
  const node = await startNode(t, controlPlane, { clock });
  await until('the agent waits', () => node.link.status.state === 'waiting');
  t.match(node.link.status.lastEnd, { kind: 'unreachable', message: /503/ });
  controlPlane.refuseWith = null;
  clock.advance(1999);
  await settle();
  t.equal(node.link.status.state, 'waiting');
  clock.advance(1);
  await controlPlane.nextOpenPeer();
});

t.test(
  'an unreachable control plane is dialled after delays no longer than its outage since the last link',
  async (t) => {
    const controlPlane = await FakeControlPlane.start(t);
    controlPlane.refuseWith = { status: 502, headers: {} };
    const clock = new FakeClock();
    const node = await startNode(t, controlPlane, { clock, random: () => 1 });
    const isWaiting = (dials: number) => {
      const { state, generation } = node.link.status;
      return state === 'waiting' && generation === dials;
    };
    /** Delays of the agent after each of these dials. */
    const waitsAfter = async (first: number, count: number) => {
      const waits: number[] = [];
      for (let dials = first; dials < first + count; dials += 1) {
        if (dials > first) clock.advance(waits.at(-1) ?? 0);
        await until('the agent waits', () => isWaiting(dials));
        waits.push((node.link.status.nextTryAt ?? 0) - clock.now());
      }
      return waits;
    };
    t.same(await waitsAfter(1, 7), [500, 2_000, 2_500, 5_000, 10_000, 20_000, 30_000]);

    controlPlane.refuseWith = null;
    clock.advance(30_000);
    const peer = await controlPlane.nextOpenPeer();
    await until('the link is open', () => node.link.status.state === 'open');
    clock.advance(10_000);
    controlPlane.refuseWith = { status: 502, headers: {} };
    peer.socket.terminate();
    t.same(await waitsAfter(8, 4), [500, 2_000, 2_500, 5_000]);
  },
);

t.test('a link that never answers the hello is given up after the handshake timeout', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const clock = new FakeClock();
  await startNode(t, controlPlane, { clock });
  const silent = await controlPlane.nextPeer();
  await silent.next('hello');
  clock.advance(10_000);
  await silent.closed();
  await until('the agent is back', () => isBack(controlPlane, clock));
});

t.test('a half-open link is noticed after three heartbeats and replaced', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane);
  const peer = await controlPlane.nextOpenPeer({ heartbeatMs: 20, busyHeartbeatMs: 10 });
  for (let i = 0; i < 5; i += 1) await peer.next('heartbeat');
  t.equal(node.link.status.state, 'open');
  peer.answersHeartbeats = false;
  await peer.closed();
  t.match(node.link.status.lastEnd, { kind: 'silent' });
  await controlPlane.nextOpenPeer();
});

async function reopened(peer: { closed(): Promise<number> }, controlPlane: FakeControlPlane) {
  await peer.closed();
  return controlPlane.nextOpenPeer();
}
