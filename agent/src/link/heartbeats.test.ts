import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { afterInput } from '@vantage/shared/clock.js';
import type { AgentFrame } from '@vantage/shared/protocol/codec.js';
import type { SelfTestReport } from '@vantage/shared/self-test.js';
import t from 'tap';
import type { ClockExchange } from './clock-sync.js';
import { Heartbeats, type Vitals } from './heartbeats.js';

const noSpool = { spoolRows: 0, spoolBytes: 0, spoolOldestMs: 0, spoolDropped: 0, spoolProblem: '' };

function start(random = 1, reports: SelfTestReport[] = []) {
  const clock = new FakeClock();
  const sent: { atMs: number; frame: AgentFrame }[] = [];
  const exchanges: ClockExchange[] = [];
  const spool: Vitals['spool'] = { rows: 0, bytes: 0, oldestAt: null, dropped: 0, problem: null };
  const vitals = { running: 0, jobsReceived: 0, loopLagMs: 0, spool };
  const allowance = { ms: 0 };
  let silentAtMs: number | null = null;
  const heartbeats = new Heartbeats({
    clock,
    random: () => random,
    intervals: { idleMs: 15_000, busyMs: 1000 },
    send: (frame) => sent.push({ atMs: clock.monotonicMs(), frame }),
    vitals: () => vitals,
    takeSelfTest: () => reports.shift() ?? null,
    onExchange: (exchange) => exchanges.push(exchange),
    allowanceMs: () => allowance.ms,
    onSilent: () => {
      silentAtMs = clock.monotonicMs();
    },
  });
  const inputIsRead = async () => {
    for (let turn = 0; turn < 3; turn += 1) await afterInput(clock);
  };
  const times = () => sent.map(({ atMs }) => atMs);
  return { clock, heartbeats, sent, times, exchanges, vitals, allowance, inputIsRead, silentAt: () => silentAtMs };
}

t.test('beats at once, then once per idle interval', async (t) => {
  const { clock, heartbeats, times } = start();
  heartbeats.begin();
  for (let i = 0; i < 3; i += 1) {
    heartbeats.heard();
    clock.advance(15_000);
  }
  t.same(times(), [0, 15_000, 30_000, 45_000]);
});

t.test('idle beats are spread over the last fifth of the interval', async (t) => {
  const { clock, heartbeats, times } = start(0);
  heartbeats.begin();
  clock.advance(12_000);
  t.same(times(), [0, 12_000]);
});

t.test('work brings the next beat within the busy interval, and keeps them coming while it lasts', async (t) => {
  const { clock, heartbeats, times, vitals } = start();
  heartbeats.begin();
  clock.advance(5000);
  vitals.running = 1;
  heartbeats.hurry();
  clock.advance(500);
  heartbeats.hurry();
  heartbeats.heard();
  clock.advance(1500);
  vitals.running = 0;
  heartbeats.heard();
  clock.advance(1000);
  t.same(times(), [0, 6000, 7000, 8000]);
  heartbeats.heard();
  clock.advance(14_999);
  t.equal(times().length, 4);
});

t.test('three intervals without a frame mean a dead link, idle or busy', async (t) => {
  const idle = start();
  idle.heartbeats.begin();
  idle.clock.advance(44_999);
  await idle.inputIsRead();
  t.equal(idle.silentAt(), null);
  idle.clock.advance(1);
  await idle.inputIsRead();
  t.equal(idle.silentAt(), 45_000);
  const busy = start();
  busy.vitals.running = 1;
  busy.heartbeats.begin();
  busy.clock.advance(3000);
  await busy.inputIsRead();
  t.equal(busy.silentAt(), 3000);
});

t.test('a frame that is read right after the third interval keeps the link', async (t) => {
  const { clock, heartbeats, times, inputIsRead, silentAt } = start();
  heartbeats.begin();
  clock.advance(45_000);
  setImmediate(() => heartbeats.heard());
  await inputIsRead();
  t.equal(silentAt(), null);
  t.same(times(), [0, 15_000, 30_000, 45_000], 'it beats on');
  clock.advance(44_999);
  await inputIsRead();
  t.equal(silentAt(), null);
  clock.advance(1);
  await inputIsRead();
  t.equal(silentAt(), 90_000);
});

t.test('a link that ends while its silence is judged sends nothing and is not silent', async (t) => {
  const { clock, heartbeats, times, inputIsRead, silentAt } = start();
  heartbeats.begin();
  clock.advance(45_000);
  heartbeats.heard();
  heartbeats.end();
  await inputIsRead();
  t.equal(silentAt(), null);
  t.same(times(), [0, 15_000, 30_000]);
});

t.test('work that comes in just before a beat does not make a quiet link dead', async (t) => {
  const { clock, heartbeats, vitals, inputIsRead, silentAt } = start();
  heartbeats.begin();
  heartbeats.heard();
  clock.advance(14_999);
  vitals.running = 1;
  heartbeats.hurry();
  clock.advance(2000);
  await inputIsRead();
  t.equal(silentAt(), null);
});

t.test('any frame is a sign of life', async (t) => {
  const { clock, heartbeats, inputIsRead, silentAt } = start();
  heartbeats.begin();
  for (let i = 0; i < 20; i += 1) {
    clock.advance(15_000);
    heartbeats.heard();
  }
  await inputIsRead();
  t.equal(silentAt(), null);
});

t.test('a reply becomes a clock exchange, once; a reply that was not requested does not', async (t) => {
  const { clock, heartbeats, sent, exchanges } = start();
  heartbeats.begin();
  const sequence = sent[0]?.frame.heartbeat?.sequence ?? 0;
  const answer = {
    selfTest: null,
    originMs: 0,
    receiveMs: 70,
    transmitMs: 71,
    isReply: true,
    running: 0,
    jobsReceived: 0,
    loopLagMs: 0,
    ...noSpool,
  };
  clock.advance(30);
  heartbeats.receive({ ...answer, sequence });
  heartbeats.receive({ ...answer, sequence });
  heartbeats.receive({ ...answer, sequence: 999 });
  t.same(exchanges, [{ sentMs: 0, receivedMs: 30, serverReceivedAt: 70, serverSentAt: 71 }]);
});

t.test('a heartbeat of the control plane is answered with its own time', async (t) => {
  const { clock, heartbeats, sent } = start();
  heartbeats.receive({
    sequence: 5,
    transmitMs: 1234,
    originMs: 0,
    receiveMs: 0,
    isReply: false,
    running: 0,
    jobsReceived: 0,
    loopLagMs: 0,
    selfTest: null,
    ...noSpool,
  });
  t.match(sent[0]?.frame.heartbeat, { sequence: 5, isReply: true, originMs: 1234, receiveMs: clock.now() });
});

t.test('a heartbeat reports what the spool holds, for how long, and what it dropped', async (t) => {
  const { clock, heartbeats, sent, vitals } = start();
  heartbeats.begin();
  t.match(sent[0]?.frame.heartbeat, noSpool);
  vitals.spool = { rows: 3, bytes: 300, oldestAt: clock.now() - 5000, dropped: 2, problem: 'disk is full' };
  heartbeats.heard();
  clock.advance(15_000);
  t.match(sent[1]?.frame.heartbeat, {
    spoolRows: 3,
    spoolBytes: 300,
    spoolOldestMs: 20_000,
    spoolDropped: 2,
    spoolProblem: 'disk is full',
  });
  // the wall clock was set back meanwhile
  vitals.spool = { ...vitals.spool, oldestAt: clock.now() + 1e9 };
  heartbeats.heard();
  clock.advance(15_000);
  t.equal(sent[2]?.frame.heartbeat?.spoolOldestMs, 0);
});

t.test('no beat follows the end', async (t) => {
  const { clock, heartbeats, times } = start();
  heartbeats.begin();
  heartbeats.end();
  heartbeats.hurry();
  clock.advance(100_000);
  t.same(times(), [0]);
  t.equal(clock.pendingTimers, 0);
});

t.test('a self-test travels with the next heartbeat, once', async (t) => {
  const report = { finishedAt: 1000, checks: [{ name: 'ipv6', status: 'failed', detail: 'no route' }] } as const;
  const { clock, heartbeats, sent } = start(1, [report]);
  heartbeats.begin();
  heartbeats.heard();
  clock.advance(15_000);
  t.match(sent[0]?.frame.heartbeat, { selfTest: { finishedAtMs: 1000, checks: report.checks } });
  t.equal(sent[1]?.frame.heartbeat?.selfTest, null);
});

t.test('an answer that may still be on its way is waited for, and every frame ends the doubt', async (t) => {
  const { clock, heartbeats, vitals, allowance, inputIsRead, silentAt } = start();
  vitals.running = 1;
  allowance.ms = 5_000;
  heartbeats.begin();
  clock.advance(7_900);
  await inputIsRead();
  t.equal(silentAt(), null);
  heartbeats.heard();
  clock.advance(7_000);
  await inputIsRead();
  t.equal(silentAt(), null);
  clock.advance(20_000);
  await inputIsRead();
  t.not(silentAt(), null);
});
