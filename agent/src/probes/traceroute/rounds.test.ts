import t from 'tap';
import { anAnswer } from '../../../test/_support/an-answer.js';
import type { Answer } from '../../net/icmp.js';
import { Path } from '../hops/path.js';
import { type RoundOptions, Rounds } from './rounds.js';

const target = '192.0.2.9';

function aPath(maxHops: number): Path {
  return new Path({ target, maxHops, timeoutMs: 10_000 });
}

function said(index: number, from = target): Answer {
  const name = from === target ? 'echo_reply' : 'time_exceeded';
  return anAnswer({ index, from, name });
}

/** Sends all there is to send, time passing as the schedule asks. */
function sendAll(options: RoundOptions, path = aPath(options.maxHops)) {
  const rounds = new Rounds(options);
  const sent: { ttl: number; flow: number; atMs: number }[] = [];
  for (let nowMs = 0; ; ) {
    const step = rounds.next(path, nowMs);
    if (step.kind === 'done') return sent;
    if (step.kind === 'wait') nowMs = step.untilMs;
    else {
      sent.push({ ...step.packet, atMs: nowMs });
      path.markSent(step.packet, nowMs);
    }
  }
}

t.test('16 packets leave at once, the others 5 ms apart, hop by hop', async (t) => {
  const sent = sendAll({ maxHops: 7, queries: 3, flows: 1 });
  t.same(
    sent.map(({ ttl }) => ttl),
    [1, 2, 3, 4, 5, 6, 7].flatMap((ttl) => [ttl, ttl, ttl]),
  );
  t.same(
    sent.map(({ atMs }) => atMs),
    [...Array.from({ length: 16 }, () => 0), 5, 10, 15, 20, 25],
  );
});

t.test('an answer makes room for the next packet at once', async (t) => {
  const path = aPath(30);
  const rounds = new Rounds({ maxHops: 30, queries: 3, flows: 1 });
  for (let i = 0; i < 16; i += 1) {
    const step = rounds.next(path, 0);
    if (step.kind === 'send') path.markSent(step.packet, 0);
  }
  t.same(rounds.next(path, 0), { kind: 'wait', untilMs: 5 });
  path.record(said(0, '10.0.0.1'));
  t.match(rounds.next(path, 0), { kind: 'send' });
});

t.test('a hop gets at most three packets in a second, whatever the queries and flows', async (t) => {
  const sent = sendAll({ maxHops: 2, queries: 4, flows: 2 });
  const firsts = sent.filter(({ ttl }) => ttl === 1);
  t.same(
    firsts.map(({ atMs }) => atMs),
    [0, 0, 0, 1000, 1000, 1000, 2000, 2000],
  );
  t.same(
    firsts.map(({ flow }) => flow),
    [0, 1, 0, 1, 0, 1, 0, 1],
    'flows take turns',
  );
  t.equal(sent.length, 2 * 4 * 2);
});

t.test('nothing is sent beyond the hop that ended the path, in later rounds too', async (t) => {
  const path = aPath(30);
  const rounds = new Rounds({ maxHops: 30, queries: 4, flows: 1 });
  const sendOne = (nowMs: number) => {
    const step = rounds.next(path, nowMs);
    return step.kind === 'send' ? path.markSent(step.packet, nowMs) : step;
  };
  for (const index of [0, 1, 2, 3]) t.equal(sendOne(0), index);
  path.record(said(0));
  t.same(sendOne(0), { kind: 'wait', untilMs: 1000 });
  t.equal(sendOne(1000), 4);
  t.same(sendOne(1000), { kind: 'done' });
});

t.test('a trace is a thousand packets at most', async (t) => {
  t.equal(sendAll({ maxHops: 64, queries: 10, flows: 8 }).length, 1000);
});
