import t from 'tap';
import { anAnswer } from '../../../test/_support/an-answer.js';
import type { Answer } from '../../net/icmp.js';
import { Path } from '../hops/path.js';
import { type CycleOptions, Cycles } from './cycles.js';

const target = '192.0.2.9';
const options: CycleOptions = { cycles: 3, intervalMs: 1000, maxHops: 30, flows: 1 };

function said(index: number, from: string): Answer {
  const name = from === target ? 'echo_reply' : 'time_exceeded';
  return anAnswer({ index, from, name });
}

/** Sends all cycles; `answer` says who answers a packet to a hop, at once. */
function sendAll(options: CycleOptions, answer: (ttl: number) => string | null) {
  const path = new Path({ target, maxHops: options.maxHops, timeoutMs: 2000 });
  const schedule = new Cycles(options);
  const sent: { ttl: number; flow: number; atMs: number }[] = [];
  for (let nowMs = 0; ; ) {
    const step = schedule.next(path, nowMs);
    if (step.kind === 'done') return sent;
    if (step.kind === 'wait') nowMs = step.untilMs;
    else {
      sent.push({ ...step.packet, atMs: Math.round(nowMs) });
      const index = path.markSent(step.packet, nowMs);
      const from = answer(step.packet.ttl);
      if (from !== null) path.record(said(index, from));
    }
  }
}

t.test('a cycle per interval: the first at the pace of ten hops, the next ones spread over it', async (t) => {
  const sent = sendAll(options, (ttl) => (ttl === 4 ? target : `10.0.0.${ttl}`));
  const at = (startMs: number, stepMs: number) => [1, 2, 3, 4].map((ttl) => [ttl, startMs + (ttl - 1) * stepMs]);
  t.same(
    sent.map(({ ttl, atMs }) => [ttl, atMs]),
    [...at(0, 100), ...at(1000, 250), ...at(2000, 250)],
  );
});

t.test('a cycle ends five hops behind the last one that answered', async (t) => {
  const silent = sendAll(options, (ttl) => (ttl <= 2 ? `10.0.0.${ttl}` : null));
  t.equal(Math.max(...silent.map(({ ttl }) => ttl)), 7);
  t.equal(silent.filter(({ ttl }) => ttl === 7).length, 3);
});

t.test('max_hops holds', async (t) => {
  const sent = sendAll({ ...options, maxHops: 3 }, (ttl) => `10.0.0.${ttl}`);
  t.same(
    sent.map(({ ttl }) => ttl),
    [1, 2, 3, 1, 2, 3, 1, 2, 3],
  );
});

t.test('each cycle has one flow, and they take turns', async (t) => {
  const sent = sendAll({ ...options, maxHops: 2, flows: 2 }, (ttl) => `10.0.0.${ttl}`);
  t.same(
    sent.map(({ flow }) => flow),
    [0, 0, 1, 1, 0, 0],
  );
});

t.test('a timer that is late does not stretch the rhythm', async (t) => {
  const path = new Path({ target, maxHops: 1, timeoutMs: 2000 });
  const schedule = new Cycles({ ...options, maxHops: 1 });
  t.match(schedule.next(path, 0), { kind: 'send' });
  t.same(schedule.next(path, 1), { kind: 'wait', untilMs: 1000 });
  t.match(schedule.next(path, 1007), { kind: 'send' });
  t.same(schedule.next(path, 1008), { kind: 'wait', untilMs: 2000 });
});
