import t from 'tap';
import { ProbeFailure } from '../failure.js';
import { PacketLog } from './packet-log.js';

const plain = { late: false, icmp_error: null };
const unreachable = new ProbeFailure('host_unreachable', 'somebody says so');

t.test('loss and times are over the packets, not the replies', async (t) => {
  const log = new PacketLog({ count: 4, timeoutMs: 5000 });
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
    packets_duplicate: 1,
    packets_late: 0,
    packets_out_of_order: 0,
    replies: [
      { seq: 0, ttl: 60, rtt_ms: 10, duplicate: false, ...plain },
      { seq: 0, ttl: 60, rtt_ms: 900, duplicate: true, ...plain },
      { seq: 1, ttl: null, rtt_ms: null, duplicate: false, ...plain },
      { seq: 2, ttl: 61, rtt_ms: 30, duplicate: false, ...plain },
      { seq: 3, ttl: 60, rtt_ms: 20, duplicate: false, ...plain },
    ],
  });
  t.same(rtt, { min_ms: 10, avg_ms: 20, max_ms: 30, mdev_ms: 8.165, p95_ms: 30 });
});

t.test('nothing sent is no loss and no times', async (t) => {
  t.same(new PacketLog({ count: 3, timeoutMs: 5000 }).summary(), {
    packets_sent: 0,
    packets_received: 0,
    loss_pct: 0,
    packets_duplicate: 0,
    packets_late: 0,
    packets_out_of_order: 0,
    rtt: { min_ms: null, avg_ms: null, max_ms: null, mdev_ms: null, p95_ms: null },
    replies: [],
  });
});

t.test('a reply after its time is shown as late, and its packet stays lost', async (t) => {
  const log = new PacketLog({ count: 3, timeoutMs: 1000 });
  for (const seq of [0, 1, 2]) log.markSent(seq);
  log.lose(0, null);
  log.answer(0, 1001, 60);
  log.answer(0, 1002, 60);
  log.answer(1, 1000.5, 60);
  log.answer(2, 1000, 60);
  t.match(log.summary(), {
    packets_received: 1,
    loss_pct: 66.667,
    packets_late: 2,
    packets_duplicate: 1,
    packets_out_of_order: 0,
    rtt: { min_ms: 1000, max_ms: 1000 },
    replies: [
      { seq: 0, rtt_ms: 1001, late: true, duplicate: false },
      { seq: 0, rtt_ms: 1002, late: true, duplicate: true },
      { seq: 1, rtt_ms: 1000.5, late: true },
      { seq: 2, rtt_ms: 1000, late: false },
    ],
  });
  t.ok(log.isSettled, 'a late reply is not waited for any longer');
});

t.test('a reply that arrived in time counts, even if its timer was served first', async (t) => {
  const log = new PacketLog({ count: 1, timeoutMs: 1000 });
  log.markSent(0);
  log.lose(0, null);
  log.answer(0, 999, 60);
  t.match(log.summary(), {
    packets_received: 1,
    loss_pct: 0,
    packets_late: 0,
    replies: [{ rtt_ms: 999, late: false }],
  });
});

t.test('out of order are those received after a later packet, as RFC 4737 counts', async (t) => {
  for (const [order, outOfOrder] of [
    [[0, 1, 2, 3], 0],
    [[1, 0, 3, 2], 2],
    [[3, 0, 1, 2], 3],
    [[0, 2, 3, 1], 1],
    [[0, 2, 2, 1, 1, 3], 1],
  ] as const) {
    const log = new PacketLog({ count: 4, timeoutMs: 1000 });
    for (const seq of [0, 1, 2, 3]) log.markSent(seq);
    for (const seq of order) log.answer(seq, 5, 60);
    t.equal(log.summary().packets_out_of_order, outOfOrder, order.join(' '));
  }
});

t.test('an ICMP error is shown with the packet it ended, unless a reply came all the same', async (t) => {
  const log = new PacketLog({ count: 2, timeoutMs: 1000 });
  const error = { ip: '192.0.2.1', name: 'host_unreachable', type: 3, code: 1 };
  for (const seq of [0, 1]) log.markSent(seq);
  for (const seq of [0, 1]) log.lose(seq, unreachable, error);
  log.answer(1, 5, 60);
  t.match(log.summary(), {
    packets_received: 1,
    loss_pct: 50,
    replies: [
      { seq: 0, rtt_ms: null, icmp_error: error },
      { seq: 1, rtt_ms: 5, icmp_error: null },
    ],
  });
});

t.test('an error after the reply changes nothing', async (t) => {
  const log = new PacketLog({ count: 1, timeoutMs: 5000 });
  log.markSent(0);
  log.answer(0, 1, 60);
  log.lose(0, unreachable);
  t.equal(log.trouble, null);
  t.match(log.summary(), { packets_received: 1, loss_pct: 0 });
});

t.test('a packet this machine could not send is neither sent nor lost', async (t) => {
  const log = new PacketLog({ count: 2, timeoutMs: 5000 });
  log.markSent(0);
  log.refuse(0, unreachable);
  log.markSent(1);
  log.answer(1, 1, 60);
  t.match(log.summary(), { packets_sent: 1, packets_received: 1, loss_pct: 0, replies: [{ seq: 1 }] });
  t.equal(log.trouble, unreachable);
  t.ok(log.isSettled);
});

t.test('settled when the last packet is sent and none is waited for', async (t) => {
  const log = new PacketLog({ count: 2, timeoutMs: 5000 });
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
  const log = new PacketLog({ count: 50, timeoutMs: 5000 });
  for (let seq = 0; seq < 50; seq += 1) {
    log.markSent(seq);
    for (let i = 0; i < 100; i += 1) log.answer(seq, i, 60);
  }
  t.equal(log.summary().replies.length, 200);
  t.equal(log.summary().packets_duplicate, 50 * 99, 'all are counted');
});
