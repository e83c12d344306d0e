import t from 'tap';
import { anAnswer } from '../../../test/_support/an-answer.js';
import type { Answer, AnswerName } from '../../net/icmp.js';
import { Path, type SentPacket } from './path.js';

const target = '192.0.2.9';

/** A path whose packets of one flow have all left at 0, with one packet per hop: packet number = ttl - 1. */
function aSentPath(maxHops: number, queries = 1, flows = 1): Path {
  const path = new Path({ target, maxHops, timeoutMs: 2000 });
  for (let ttl = 1; ttl <= maxHops; ttl += 1)
    for (let flow = 0; flow < flows; flow += 1)
      for (let i = 0; i < queries; i += 1) path.markLeft(path.markSent({ ttl, flow }, 0), 0);
  return path;
}

function said(index: number, from: string, name: AnswerName, rttMs = 1): Answer {
  return anAnswer({ index, from, name, rttMs });
}

/** Address of the first answer at each hop. */
function addresses(path: Path): (string | null)[] {
  return [...path.byHop().values()].map(([packet]) => packet?.answer?.from ?? null);
}

t.test('the path ends at the first hop where the target answered, whatever the order of answers', async (t) => {
  const answers = [
    said(0, '10.0.0.1', 'time_exceeded'),
    said(1, '10.0.0.2', 'time_exceeded'),
    said(2, target, 'echo_reply'),
    said(3, target, 'echo_reply'),
    said(4, target, 'echo_reply'),
  ];
  for (const order of [answers, [...answers].reverse()]) {
    const path = aSentPath(5);
    for (const answer of order) path.record(answer);
    t.ok(path.isReached);
    t.equal(path.failure(), null);
    t.same(addresses(path), ['10.0.0.1', '10.0.0.2', target]);
    t.equal(path.inFlight, 0, 'nothing is waited for behind the end');
  }
});

t.test('flows end each at its own hop', async (t) => {
  const path = aSentPath(3, 1, 2);
  path.record(said(2, target, 'echo_reply'));
  t.same([path.lastTtl(0), path.lastTtl(1)], [2, 3]);
  path.record(said(5, target, 'echo_reply'));
  t.same([path.lastTtl(0), path.lastTtl(1)], [2, 3]);
  t.same(
    [...path.byHop().values()].map((packets) => packets.map(({ flow }) => flow)),
    [[0, 1], [0, 1], [1]],
  );
});

t.test('a router’s refusal ends the path without reaching the target', async (t) => {
  const cases = [
    ['host_prohibited', 'host_unreachable'],
    ['net_unreachable', 'net_unreachable'],
    ['no_route', 'net_unreachable'],
  ] as const;
  for (const [name, code] of cases) {
    const path = aSentPath(5);
    path.record(said(0, '10.0.0.1', 'time_exceeded'));
    path.record(said(1, '10.0.0.2', name));
    t.notOk(path.isReached);
    t.equal(path.failure()?.code, code);
    t.same(addresses(path), ['10.0.0.1', '10.0.0.2']);
  }
});

t.test('the target’s own refusal reaches it', async (t) => {
  for (const name of ['port_unreachable', 'admin_prohibited', 'tcp_rst', 'tcp_syn_ack'] as const) {
    const path = aSentPath(3);
    path.record(said(1, target, name));
    t.ok(path.isReached, name);
    t.equal(path.failure(), null);
  }
});

t.test('the target’s answer counts more than a router’s refusal at the same hop', async (t) => {
  const answers = [said(0, '10.0.0.1', 'host_unreachable'), said(1, target, 'echo_reply')];
  for (const order of [answers, [...answers].reverse()]) {
    const path = aSentPath(1, 2);
    for (const answer of order) path.record(answer);
    t.ok(path.isReached);
  }
});

t.test('a router that refuses some packets does not undo that the target answered others', async (t) => {
  const answers = [said(3, target, 'echo_reply'), said(1, '10.0.0.2', 'host_prohibited')];
  for (const order of [answers, [...answers].reverse()]) {
    const path = aSentPath(4);
    for (const answer of order) path.record(answer);
    t.ok(path.isReached);
    t.equal(path.failure(), null);
    t.same(addresses(path), [null, '10.0.0.2', null, target]);
  }
});

t.test('packets that die at the target’s own address did not arrive', async (t) => {
  const path = aSentPath(2);
  path.record(said(0, target, 'time_exceeded'));
  t.notOk(path.isReached);
  t.equal(path.byHop().size, 2);
});

t.test('silent hops stay in the list, and silence to the end is no_reply', async (t) => {
  const path = aSentPath(3);
  path.record(said(1, '10.0.0.2', 'time_exceeded'));
  t.equal(path.giveUpOverdue(2000), null);
  t.equal(path.inFlight, 0);
  t.equal(path.failure()?.code, 'no_reply');
  t.same(addresses(path), [null, '10.0.0.2', null]);
});

t.test('a second answer changes nothing, a late one is an answer', async (t) => {
  const path = aSentPath(3);
  path.record(said(0, '10.0.0.1', 'time_exceeded'));
  path.record(said(0, target, 'echo_reply'));
  t.notOk(path.isReached);
  path.giveUpOverdue(2000);
  path.record(said(1, target, 'echo_reply', 2500));
  t.ok(path.isReached);
  t.same(addresses(path), ['10.0.0.1', target]);
});

t.test(
  'a packet is waited for three times as long as another to its hop took, or ten times one to the next hop',
  async (t) => {
    const waits = (rttsMs: Readonly<Record<number, number>>) => {
      const path = aSentPath(3, 2);
      for (const [index, rttMs] of Object.entries(rttsMs))
        path.record(said(Number(index), '10.0.0.1', 'time_exceeded', rttMs));
      const times: number[] = [];
      for (let dueMs = path.giveUpOverdue(0); dueMs !== null; dueMs = path.giveUpOverdue(dueMs)) times.push(dueMs);
      return times;
    };
    t.same(waits({}), [2000], 'nothing is known: the whole timeout');
    t.same(waits({ 0: 50 }), [150, 2000], 'the second packet to hop 1, and what lies behind');
    t.same(waits({ 2: 40, 3: 30, 4: 40, 5: 40 }), [400], 'hop 1 by the slowest answer of hop 2');
    t.same(waits({ 0: 0.1, 2: 0.1, 4: 0.1 }), [100], 'never less than a router may need');
    t.same(waits({ 0: 900, 2: 900, 4: 900 }), [2000], 'never more than was asked for');
  },
);

t.test('answers are kept in the order in which they came, packets that did not leave are marked', async (t) => {
  const path = aSentPath(1, 3);
  path.record(said(2, target, 'echo_reply', 1));
  path.record(said(0, target, 'echo_reply', 5));
  path.refuse(1);
  const rtts = (packets: readonly SentPacket[] = []) => packets.map(({ answer }) => answer?.rttMs);
  t.same(rtts(path.answeredByHop().get(1)), [1, 5]);
  t.same(
    path
      .byHop()
      .get(1)
      ?.map(({ isRefused }) => isRefused),
    [false, true, false],
  );
});
