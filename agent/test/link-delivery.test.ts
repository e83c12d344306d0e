import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { encodeResult, LaneCode } from '@vantage/shared/protocol/codec.js';
import t from 'tap';
import { Spool } from '../src/spool/spool.js';
import { FakeControlPlane } from './_support/fake-control-plane.js';
import { isBack, startNode } from './_support/link-fixture.js';

t.test('a job is measured and its result sent; acknowledged, it is not sent again', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane);
  const first = await controlPlane.nextOpenPeer();
  first.job('pt_1', '192.0.2.7:443');
  const batch = await first.next('results');
  t.match(node.measuring.jobs, [
    { id: 'pt_1', type: 'tcp', specJson: '{"target":"192.0.2.7:443","params":{}}', deadlineMs: 10_000, caller: 'c1' },
  ]);
  t.match(batch, { lane: LaneCode.LANE_TASK, first: 1 });
  t.equal(batch.results[0]?.taskId, 'pt_1');
  t.same(JSON.parse(Buffer.from(batch.results[0]?.resultJson ?? []).toString()), { answered: 'pt_1' });
  first.ack(batch);
  await until('nothing waits', () => node.spool.stats().rows === 0);
  first.socket.terminate();
  const second = await controlPlane.nextOpenPeer();
  second.job('pt_2');
  t.match(await second.next('results'), { first: 2 });
});

t.test('a result whose acknowledgement was lost is sent again over the next link', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  await startNode(t, controlPlane);
  const first = await controlPlane.nextOpenPeer();
  first.job('pt_1');
  const batch = await first.next('results');
  first.socket.terminate();
  const second = await controlPlane.nextOpenPeer({ marks: { task: 0 } });
  t.same(await second.next('results'), batch);
});

t.test('results stored before the link broke are not sent again', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane);
  const first = await controlPlane.nextOpenPeer();
  first.job('pt_1');
  await first.next('results');
  first.socket.terminate();
  const second = await controlPlane.nextOpenPeer({ marks: { task: 1 } });
  await until('the mark of the welcome counts', () => node.spool.state().task.acked === 1);
  second.job('pt_2');
  t.match(await second.next('results'), { first: 2 });
});

t.test('results of a process that died are sent by the next one', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const folder = t.testdir();
  const before = await startNode(t, controlPlane, { folder });
  const first = await controlPlane.nextOpenPeer({ credits: { task: 0 } });
  for (const id of ['pt_1', 'pt_2', 'pt_3']) first.job(id);
  await until('three results wait', () => before.spool.stats().rows === 3);
  await before.stop();
  await startNode(t, controlPlane, { folder });
  const second = await controlPlane.nextOpenPeer();
  t.not(second.hello.bootId, first.hello.bootId);
  const batch = await second.next('results');
  t.same(
    batch.results.map((result) => result.taskId),
    ['pt_1', 'pt_2', 'pt_3'],
  );
});

t.test('a rewind sends everything above the mark again', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  await startNode(t, controlPlane);
  const peer = await controlPlane.nextOpenPeer();
  const sent: number[] = [];
  for (const id of ['pt_1', 'pt_2', 'pt_3']) {
    peer.job(id);
    sent.push((await peer.next('results')).first);
  }
  t.same(sent, [1, 2, 3]);
  peer.send({ ack: { epoch: peer.proof.epoch, lane: LaneCode.LANE_TASK, mark: 1, rewind: true } });
  const again = await peer.next('results');
  t.equal(again.first, 2);
  t.same(
    again.results.map((result) => result.taskId),
    ['pt_2', 'pt_3'],
  );
});

t.test('a mark below what was acknowledged brings the rows back out of the replay window', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane);
  const first = await controlPlane.nextOpenPeer();
  for (const id of ['pt_1', 'pt_2']) {
    first.job(id);
    first.ack(await first.next('results'));
  }
  await until('both are acknowledged', () => node.spool.state().task.acked === 2);
  first.socket.terminate();
  const second = await controlPlane.nextOpenPeer({ marks: { task: 0 } });
  const batch = await second.next('results');
  t.same(
    batch.results.map((result) => result.taskId),
    ['pt_1', 'pt_2'],
  );
});

t.test('rows that have left the replay window are declared as dropped, and their numbers are accepted', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const clock = new FakeClock();
  const folder = t.testdir();
  const node = await startNode(t, controlPlane, { clock, folder });
  const first = await controlPlane.nextOpenPeer();
  first.job('pt_1');
  first.ack(await first.next('results'));
  await until('it is acknowledged', () => node.spool.state().task.acked === 1);
  // no other rows come that the acknowledgement could travel with
  clock.advance(1_000);
  await until('it is kept for replay', () => node.spool.stats().rows === 0 && node.spool.stats().heldBytes > 0);
  clock.advance(20 * 60_000);
  // a row still there when the mark goes back is sent again, which is better than to declare it
  await until('the row is deleted', () => Spool.inspect(folder).lanes.task.heldBytes === 0);
  first.socket.terminate();
  await until('the agent is back', () => isBack(controlPlane, clock));
  const second = await controlPlane.nextOpenPeer({ marks: { task: 0 } });
  t.match(await second.next('dropped'), { lane: LaneCode.LANE_TASK, first: 1, last: 1, reason: 'expired' });
  second.job('pt_2');
  t.match(await second.next('results'), { first: 2 });
});

t.test('dropped rows are declared without any credit', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const clock = new FakeClock();
  const node = await startNode(t, controlPlane, { clock });
  const first = await controlPlane.nextOpenPeer({ credits: { task: 0 } });
  await node.spool.append('task', encodeResult({ taskId: 'pt_1' })).durable;
  clock.advance(73 * 3_600_000);
  await until('it is too old', () => node.spool.stats().dropped === 1);
  first.socket.terminate();
  await until('the agent is back', () => isBack(controlPlane, clock));
  const second = await controlPlane.nextOpenPeer({ credits: { task: 0 } });
  t.match(await second.next('dropped'), { lane: LaneCode.LANE_TASK, first: 1, last: 1, reason: 'expired' });
});

t.test('a mark above the last number begins a new epoch, in which nothing is lost', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane);
  const first = await controlPlane.nextOpenPeer({ credits: { task: 0 } });
  first.job('pt_1');
  await until('a result waits', () => node.spool.stats().rows === 1);
  first.socket.terminate();
  const second = await controlPlane.nextOpenPeer({ marks: { task: 500 }, newEpoch: true });
  await second.closed();
  const third = await controlPlane.nextOpenPeer();
  t.notSame(third.proof.epoch, first.proof.epoch);
  const batch = await third.next('results');
  t.same(batch.epoch, third.proof.epoch);
  t.match(batch, { first: 1 });
});

t.test('without credit nothing is sent; with credit exactly that many rows', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane);
  const peer = await controlPlane.nextOpenPeer({ credits: { task: 0 } });
  for (let i = 1; i <= 5; i += 1) peer.job(`pt_${i}`);
  await until('five results wait', () => node.spool.stats().rows === 5);
  t.equal(peer.unread('results').length, 0);
  t.same(node.link.credits, { task: 0, check: 1000 });
  peer.send({ credits: { credits: [{ lane: LaneCode.LANE_TASK, rows: 2 }] } });
  const batch = await peer.next('results');
  t.equal(batch.results.length, 2);
  peer.ack(batch);
  t.equal((await peer.next('results')).results.length, 2);
});

t.test('the lanes do not wait for each other', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane);
  const peer = await controlPlane.nextOpenPeer({ credits: { check: 0 } });
  node.spool.append('check', Buffer.alloc(0));
  peer.job('pt_1');
  t.match(await peer.next('results'), { lane: LaneCode.LANE_TASK });
});

t.test('a batch holds at most 1000 rows', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  // no time passes: the line seems as fast as they come
  const node = await startNode(t, controlPlane, { clock: new FakeClock() });
  const peer = await controlPlane.nextOpenPeer({ credits: { task: 0 } });
  const rows = 2_500;
  for (let i = 1; i <= rows; i += 1) peer.job(`pt_${i}`);
  await until('all results wait', () => node.spool.stats().rows === rows);
  peer.send({ credits: { credits: [{ lane: LaneCode.LANE_TASK, rows: 5000 }] } });
  const sizes: number[] = [];
  for (let taken = 0; taken < rows; taken += sizes.at(-1) ?? 0) {
    const batch = await peer.next('results');
    sizes.push(batch.results.length);
    peer.ack(batch);
  }
  t.equal(Math.max(...sizes), 1000);
});

t.test('results carry the control plane’s time as exactly as this machine knows it', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  await startNode(t, controlPlane);
  const peer = await controlPlane.nextPeer();
  peer.clockSkewMs = 3_600_000;
  await peer.welcome();
  await peer.next('heartbeat');
  peer.job('pt_1');
  const result = (await peer.next('results')).results[0];
  t.ok(result !== undefined && result.uncertaintyMs >= 0);
  t.ok(
    Math.abs((result?.clockOffsetMs ?? 0) - 3_600_000) <= (result?.uncertaintyMs ?? 0) + 50,
    'within half a round trip and 50 ms',
  );
});

t.test('a new link forgets the time of the previous one: the machine may have slept in between', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  await startNode(t, controlPlane);
  const before = await controlPlane.nextOpenPeer({ heartbeatMs: 10, busyHeartbeatMs: 10 });
  for (let i = 0; i < 5; i += 1) await before.next('heartbeat');
  before.socket.terminate();
  const after = await controlPlane.nextPeer();
  after.clockSkewMs = 3_600_000;
  after.answersHeartbeats = false;
  await after.welcome();
  after.job('pt_1');
  const [result] = (await after.next('results')).results;
  t.ok(Math.abs((result?.clockOffsetMs ?? 0) - 3_600_000) <= (result?.uncertaintyMs ?? 0) + 50);
});

t.test('an acknowledgement of an epoch that is over changes nothing', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane);
  const peer = await controlPlane.nextOpenPeer();
  peer.job('pt_1');
  const batch = await peer.next('results');
  peer.send({ ack: { epoch: Buffer.alloc(16, 7), lane: LaneCode.LANE_TASK, mark: 900 } });
  peer.job('pt_2');
  await peer.next('results');
  t.equal(node.spool.state().task.acked, 0);
  peer.ack(batch);
  await until('the right one counts', () => node.spool.state().task.acked === 1);
});

t.test('the newest states travel after the welcome and before the backlog, over every link', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const states = [{ kind: 'monitor', subject: 'mon_1', generation: 2, slotMs: 1_000, stateJson: '{"up":true}' }];
  const node = await startNode(t, controlPlane, { states });
  const first = await controlPlane.nextOpenPeer({ credits: { task: 0 } });
  t.match(await first.next('states'), {
    states: [{ kind: 'monitor', subject: 'mon_1', generation: 2, slotMs: 1_000 }],
  });
  first.job('pt_1');
  await until('a result waits', () => node.spool.stats().rows === 1);
  first.socket.terminate();
  const second = await controlPlane.nextOpenPeer();
  await second.next('states');
  await second.next('results');
});
