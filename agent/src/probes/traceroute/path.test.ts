import t from 'tap';
import type { Answer, AnswerName } from '../../net/icmp.js';
import { Path, planProbes } from './path.js';

const target = '192.0.2.9';

/** A path whose packets have all been taken, with one packet per hop: packet number = ttl - 1. */
function aSentPath(maxHops: number): Path {
  const path = new Path(target, planProbes(maxHops, 1));
  while (path.takeNext() !== null);
  return path;
}

function anAnswer(index: number, from: string, name: AnswerName): Answer {
  return { index, from, name, type: null, code: null, mpls: [], ttl: null, rttMs: 1, isDuplicate: false };
}

t.test('plan goes hop by hop, at most three packets per hop in a round', async (t) => {
  t.same(
    planProbes(2, 2).map(({ ttl }) => ttl),
    [1, 1, 2, 2],
  );
  t.same(
    planProbes(2, 4).map(({ ttl }) => ttl),
    [1, 1, 1, 2, 2, 2, 1, 2],
  );
  t.equal(planProbes(64, 10).length, 640);
});

t.test('the path ends at the first hop where the target answered, whatever the order of answers', async (t) => {
  const answers = [
    anAnswer(0, '10.0.0.1', 'time_exceeded'),
    anAnswer(1, '10.0.0.2', 'time_exceeded'),
    anAnswer(2, target, 'echo_reply'),
    anAnswer(3, target, 'echo_reply'),
    anAnswer(4, target, 'echo_reply'),
  ];
  for (const order of [answers, [...answers].reverse()]) {
    const path = aSentPath(5);
    for (const answer of order) path.record(answer);
    t.ok(path.isReached);
    t.equal(path.failure(), null);
    t.same(
      path.hops().map(({ replies }) => replies[0]?.ip),
      ['10.0.0.1', '10.0.0.2', target],
    );
  }
});

t.test('nothing is sent beyond the hop that ended the path', async (t) => {
  const path = new Path(target, planProbes(30, 2));
  for (const expected of [1, 1, 2]) t.equal(path.takeNext()?.ttl, expected);
  path.record(anAnswer(0, target, 'echo_reply'));
  t.equal(path.takeNext(), null);
  t.notOk(path.isSettled, 'the second packet of the first hop may still be answered');
  path.record(anAnswer(1, target, 'echo_reply'));
  t.ok(path.isSettled, 'packets to later hops are not waited for');
});

t.test('later rounds stop at the known end too', async (t) => {
  const path = new Path(target, planProbes(3, 6));
  for (let i = 0; i < 9; i += 1) path.takeNext();
  for (const index of [0, 1, 2]) path.record(anAnswer(index, target, 'echo_reply'));
  t.same([path.takeNext()?.ttl, path.takeNext()?.ttl, path.takeNext()?.ttl, path.takeNext()], [1, 1, 1, null]);
});

t.test('a router’s refusal ends the path without reaching the target', async (t) => {
  const cases = [
    ['host_prohibited', 'host_unreachable'],
    ['net_unreachable', 'net_unreachable'],
    ['no_route', 'net_unreachable'],
  ] as const;
  for (const [name, code] of cases) {
    const path = aSentPath(5);
    path.record(anAnswer(0, '10.0.0.1', 'time_exceeded'));
    path.record(anAnswer(1, '10.0.0.2', name));
    t.notOk(path.isReached);
    t.equal(path.failure()?.code, code);
    t.match(path.hops(), [{ ttl: 1 }, { ttl: 2, replies: [{ ip: '10.0.0.2', icmp_type: name }] }]);
    t.equal(path.hops().length, 2);
  }
});

t.test('the target’s own refusal reaches it', async (t) => {
  for (const name of ['port_unreachable', 'admin_prohibited', 'tcp_rst', 'tcp_syn_ack'] as const) {
    const path = aSentPath(3);
    path.record(anAnswer(1, target, name));
    t.ok(path.isReached, name);
    t.equal(path.failure(), null);
  }
});

t.test('the target’s answer counts more than a router’s refusal at the same hop', async (t) => {
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const path = new Path(target, planProbes(1, 2));
    while (path.takeNext() !== null);
    const answers = [anAnswer(0, '10.0.0.1', 'host_unreachable'), anAnswer(1, target, 'echo_reply')];
    for (const i of order) path.record(answers[i] ?? anAnswer(0, '', 'echo_reply'));
    t.ok(path.isReached);
  }
});

t.test('packets that die at the target’s own address did not arrive', async (t) => {
  const path = aSentPath(2);
  path.record(anAnswer(0, target, 'time_exceeded'));
  t.notOk(path.isReached);
  t.equal(path.hops().length, 2);
});

t.test('silent hops stay in the list, and silence to the end is no_reply', async (t) => {
  const path = aSentPath(3);
  path.record(anAnswer(1, '10.0.0.2', 'time_exceeded'));
  for (const index of [0, 1, 2]) path.giveUp(index);
  t.ok(path.isSettled);
  t.equal(path.failure()?.code, 'no_reply');
  t.match(path.hops(), [
    { ttl: 1, replies: [{ ip: null, rtt_ms: null, icmp_type: null }] },
    { ttl: 2, replies: [{ ip: '10.0.0.2' }] },
    { ttl: 3, replies: [{ ip: null }] },
  ]);
});

t.test('second and late answers change nothing', async (t) => {
  const path = aSentPath(3);
  path.record(anAnswer(0, '10.0.0.1', 'time_exceeded'));
  path.record(anAnswer(0, target, 'echo_reply'));
  path.giveUp(1);
  path.record(anAnswer(1, target, 'echo_reply'));
  t.notOk(path.isReached);
  t.equal(path.hops()[0]?.replies[0]?.ip, '10.0.0.1');
});
