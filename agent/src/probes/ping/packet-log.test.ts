import t from 'tap';
import { ProbeFailure } from '../failure.js';
import { PacketLog } from './packet-log.js';

const unreachable = new ProbeFailure('host_unreachable', 'somebody says so');

t.test('loss and times are over the packets, not the replies', async (t) => {
  const log = new PacketLog(4);
  for (const seq of [0, 1, 2, 3]) log.markSent(seq);
  log.answer(0, 10, 60);
  log.answer(0, 900, 60);
  log.answer(2, 30, 61);
  log.answer(3, 20.00049, 60);
  log.lose(1, null);
  const { rtt, ...rest } = log.summary();
  t.same(rest, {
    packets_sent: 4,
    packets_received: 3,
    loss_pct: 25,
    replies: [
      { seq: 0, ttl: 60, rtt_ms: 10, duplicate: false },
      { seq: 0, ttl: 60, rtt_ms: 900, duplicate: true },
      { seq: 1, ttl: null, rtt_ms: null, duplicate: false },
      { seq: 2, ttl: 61, rtt_ms: 30, duplicate: false },
      { seq: 3, ttl: 60, rtt_ms: 20, duplicate: false },
    ],
  });
  t.same(rtt, { min_ms: 10, avg_ms: 20, max_ms: 30, mdev_ms: 8.165, p95_ms: 30 });
});

t.test('nothing sent is no loss and no times', async (t) => {
  t.same(new PacketLog(3).summary(), {
    packets_sent: 0,
    packets_received: 0,
    loss_pct: 0,
    rtt: { min_ms: null, avg_ms: null, max_ms: null, mdev_ms: null, p95_ms: null },
    replies: [],
  });
});

t.test('a reply after its packet was given up counts for nothing', async (t) => {
  const log = new PacketLog(1);
  log.markSent(0);
  log.lose(0, null);
  log.answer(0, 5001, 60);
  t.match(log.summary(), { packets_received: 0, loss_pct: 100, replies: [{ rtt_ms: null }] });
  t.notOk(log.hasAnswer);
});

t.test('an error after the reply changes nothing', async (t) => {
  const log = new PacketLog(1);
  log.markSent(0);
  log.answer(0, 1, 60);
  log.lose(0, unreachable);
  t.equal(log.trouble, null);
  t.match(log.summary(), { packets_received: 1, loss_pct: 0 });
});

t.test('a packet this machine could not send is neither sent nor lost', async (t) => {
  const log = new PacketLog(2);
  log.markSent(0);
  log.refuse(0, unreachable);
  log.markSent(1);
  log.answer(1, 1, 60);
  t.match(log.summary(), { packets_sent: 1, packets_received: 1, loss_pct: 0, replies: [{ seq: 1 }] });
  t.equal(log.trouble, unreachable);
  t.ok(log.isSettled);
});

t.test('settled when the last packet is sent and none is waited for', async (t) => {
  const log = new PacketLog(2);
  log.markSent(0);
  log.answer(0, 1, null);
  t.notOk(log.isSettled, 'one is still to be sent');
  log.markSent(1);
  t.notOk(log.isSettled, 'one is waited for');
  log.lose(1, unreachable);
  t.ok(log.isSettled);
  t.equal(log.trouble, unreachable);
});

t.test('a flood of duplicates stays within what a result may hold', async (t) => {
  const log = new PacketLog(50);
  for (let seq = 0; seq < 50; seq += 1) {
    log.markSent(seq);
    for (let i = 0; i < 100; i += 1) log.answer(seq, i, 60);
  }
  t.equal(log.summary().replies.length, 200);
});
