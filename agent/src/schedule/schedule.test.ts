import { phaseOf, slotAt, slotStart } from '@vantage/shared/monitor-state/slots.js';
import { assignmentsDigest } from '@vantage/shared/monitor-types/assignments-digest.js';
import t from 'tap';
import {
  anAssignment,
  bad,
  everything,
  good,
  monitorId,
  NODE_ID,
  type Reported,
  ScheduledNode,
} from './_support/a-schedule.js';

const MINUTE_MS = 60_000;
const gridOf = (number: number, intervalMs = MINUTE_MS) => ({
  intervalMs,
  phaseMs: phaseOf(monitorId(number), NODE_ID, intervalMs),
});

function missedOf(reports: readonly Reported[]) {
  return reports.flatMap(({ kind, body }) => (kind === 'missed' ? [{ count: body.count, reason: body.reason }] : []));
}

function checksOf(reports: readonly Reported[]) {
  return reports.flatMap(({ kind, body }) => (kind === 'check' ? [body] : []));
}

t.test('each slot is checked once, on its grid, and the node reports its verdict', async (t) => {
  const node = new ScheduledNode();
  node.answer = () => ({ afterMs: 100, judgment: node.jobs.length > 2 ? bad('tcp_refused') : good });
  node.schedule.take(everything(anAssignment(0, { consecutive_fail: 2 })));
  const beganMs = node.serverNow;
  const first = slotAt(beganMs, gridOf(0));
  await node.pass(4 * MINUTE_MS);
  const checks = checksOf(node.reports);
  t.same(
    checks.map(({ slot_ms }) => slot_ms),
    [Math.floor(beganMs), ...[1, 2, 3, 4].map((slot) => slotStart(first + slot, gridOf(0)))],
  );
  t.same(
    checks.map(({ outcome, state }) => [outcome, state?.verdict, state?.streak]),
    [
      ['ok', 'ok', 1],
      ['ok', 'ok', 2],
      ['failed', 'ok', 1],
      ['failed', 'failing', 2],
      ['failed', 'failing', 3],
    ],
  );
  t.ok(checks.slice(1).every(({ late_ms }) => late_ms < 2));
  t.match(node.jobs[0], { type: 'tcp', target: 'a.example:80', configJson: '{}', caller: monitorId(0) });
  const [state] = await node.schedule.newest();
  t.match(state, { kind: 'check', subject: monitorId(0), generation: 1, slotMs: checks[4]?.slot_ms });
  t.same(JSON.parse(state?.stateJson ?? ''), checks[4]?.state);
  t.match(node.schedule.stats, { assignments: 1, running: 0, checksDone: 5, slotsMissed: 0 });
  t.equal(node.durable, 5, 'the link is woken for each when it can be read');
});

t.test('a new assignment is checked at once, at its real time, not where its slot began', async (t) => {
  const node = new ScheduledNode();
  await node.pass(MINUTE_MS / 2);
  const beganMs = Math.floor(node.serverNow);
  node.schedule.take(everything(anAssignment(0)));
  await node.pass(500);
  const [check] = checksOf(node.reports);
  t.match(check, { slot_ms: beganMs, state: { since_ms: beganMs } });
  t.ok((check?.late_ms ?? 1) < 1, 'and is not late');
  t.ok(beganMs - slotStart(slotAt(beganMs, gridOf(0)), gridOf(0)) > 1000, 'its slot began before the assignment');
  t.equal(node.schedule.stats.worstStartLateMs, 0, 'it was not meant to begin earlier');
  await node.restart(0);
  await node.pass(500);
  t.equal(node.jobs.length, 1, 'assignments of the previous process are not new');
});

t.test('a slot that begins while the agent restarts is checked if it is back within five seconds', async (t) => {
  for (const { awayMs, kind } of [
    { awayMs: 2500, kind: 'check' },
    { awayMs: 5000, kind: 'missed' },
  ]) {
    const node = new ScheduledNode();
    node.schedule.take(everything(anAssignment(0)));
    await node.pass(MINUTE_MS);
    const slotMs = slotStart(slotAt(node.serverNow, gridOf(0)) + 1, gridOf(0));
    await node.pass(slotMs - node.serverNow - 500);
    // in addition to two seconds in which it closes
    await node.restart(awayMs);
    await node.pass(2000);
    const [report] = node.reports.slice(-1);
    t.equal(report?.kind, kind, `${awayMs} ms`);
    t.equal(node.slotsOf(monitorId(0), MINUTE_MS).at(-1), slotMs);
  }
});

t.test('a first check that was not made is missed at its real time, by the next process too', async (t) => {
  const cases = {
    'the agent failed': { answer: { afterMs: 100, judgment: bad('internal') }, reason: 'agent_fault', restarts: false },
    'it was killed': { answer: { afterMs: 20 * MINUTE_MS, judgment: good }, reason: 'stopped', restarts: true },
  };
  for (const [name, { answer, reason, restarts }] of Object.entries(cases)) {
    const node = new ScheduledNode();
    await node.pass(MINUTE_MS / 2);
    node.answer = () => answer;
    const beganMs = Math.floor(node.serverNow);
    node.schedule.take(everything(anAssignment(0)));
    await node.pass(2000);
    if (restarts) await node.restart(2 * MINUTE_MS);
    await node.pass(2000);
    const own = { first_slot_ms: beganMs, last_slot_ms: beganMs, count: 1, reason };
    const missed = node.reports.flatMap(({ kind, body }) => (kind === 'missed' ? [body] : []));
    t.match(missed[0], own, name);
    const starts = missed.map(({ first_slot_ms }) => first_slot_ms);
    t.ok(
      starts.every((startMs) => startMs >= beganMs),
      `${name}: nothing lies before the assignment`,
    );
  }
});

t.test(
  'before its first decision a node reports "undecided", and checks that it cannot make decide nothing',
  async (t) => {
    const node = new ScheduledNode();
    node.answer = () => ({ afterMs: 100, judgment: bad(node.jobs.length === 2 ? 'not_supported' : 'tcp_refused') });
    node.schedule.take(everything(anAssignment(0, { consecutive_fail: 2 })));
    await node.pass(3 * MINUTE_MS);
    t.same(
      checksOf(node.reports).map(({ error, state }) => [error?.code, state?.verdict]),
      [
        ['tcp_refused', 'undecided'],
        ['not_supported', 'undecided'],
        ['tcp_refused', 'failing'],
        ['tcp_refused', 'failing'],
      ],
    );
  },
);

t.test('of new assignments fifty are checked at once, and each other one in its next slot', async (t) => {
  const node = new ScheduledNode();
  node.answer = () => ({ afterMs: 20_000, judgment: good });
  const hours = { interval_s: 86_400 };
  node.schedule.take(everything(...Array.from({ length: 60 }, (_, number) => anAssignment(number, hours))));
  t.equal(node.jobs.length, 50);
  await node.pass(30_000, 5000);
  t.equal(node.jobs.length, 50, 'there is room, and those that wait go on waiting');
  node.schedule.take({ set: [anAssignment(60, hours)], dropped: [], begins: false, ends: false });
  t.equal(node.jobs.length, 51);
  await node.pass(86_400_000, 20_000);
  const slots = Array.from({ length: 61 }, (_, number) => node.slotsOf(monitorId(number), 86_400_000).length);
  t.same(slots, [...new Array(50).fill(2), ...new Array(10).fill(1), 2]);
});

t.test('checks of the grid keep no new assignment from being checked at once', async (t) => {
  const node = new ScheduledNode();
  const early = Array.from({ length: 100 }, (_, number) => anAssignment(number));
  node.schedule.take(everything(...early));
  await node.pass(2000);
  node.answer = () => ({ afterMs: 59_000, judgment: good });
  await node.pass(MINUTE_MS);
  t.ok(node.schedule.stats.running > 50);
  const { length } = node.jobs;
  node.schedule.take({ set: [anAssignment(100)], dropped: [], begins: false, ends: false });
  t.equal(node.jobs.length, length + 1);
});

t.test('a check that the agent itself failed is a slot missed, and says nothing of the target', async (t) => {
  for (const code of ['internal', 'cancelled'] as const) {
    const node = new ScheduledNode();
    node.answer = () => ({ afterMs: 100, judgment: node.jobs.length === 1 ? bad(code) : good });
    node.schedule.take(everything(anAssignment(0)));
    await node.pass(MINUTE_MS);
    t.same(missedOf(node.reports), [{ count: 1, reason: 'agent_fault' }], code);
    t.match(checksOf(node.reports), [{ outcome: 'ok', state: { verdict: 'ok', streak: 1 } }], code);
  }
});

t.test('why checks fail by a fault of the node is in its log, at most once a minute', async (t) => {
  const node = new ScheduledNode();
  node.answer = () => ({ afterMs: 100, judgment: bad('internal') });
  node.schedule.take(everything(anAssignment(0), anAssignment(1)));
  await node.pass(2 * MINUTE_MS);
  t.match(node.warnings[0], { type: 'tcp', error: /./, msg: 'a check failed by a fault of this node' });
  t.ok(node.warnings.length >= 2 && node.warnings.length <= 3, `${node.warnings.length} lines`);
});

t.test('a check that still runs costs the slots that come meanwhile, and is counted itself', async (t) => {
  const node = new ScheduledNode();
  node.answer = () => ({ afterMs: node.jobs.length === 1 ? 130_000 : 100, judgment: good });
  node.schedule.take(everything(anAssignment(0)));
  await node.pass(5 * MINUTE_MS);
  t.same(missedOf(node.reports), [
    { count: 1, reason: 'behind' },
    { count: 1, reason: 'behind' },
  ]);
  t.equal(checksOf(node.reports).length, 4);
});

t.test('a check that is not measured for lack of capacity is a missed slot, not a failed check', async (t) => {
  const node = new ScheduledNode();
  node.answer = () => ({ afterMs: 5000, judgment: bad('overload') });
  node.schedule.take(everything(anAssignment(0)));
  await node.pass(10_000);
  t.same(missedOf(node.reports), [{ count: 1, reason: 'behind' }]);
  t.same(await node.schedule.newest(), [], 'and no state');
});

t.test('a check that fails while the uplink is lost is a slot missed; one that was refused counts', async (t) => {
  const node = new ScheduledNode();
  node.isUplinkLost = true;
  node.answer = () => ({ afterMs: 100, judgment: bad(node.jobs.length === 1 ? 'tcp_timeout' : 'tcp_refused') });
  node.schedule.take(everything(anAssignment(0)));
  await node.pass(2 * MINUTE_MS);
  t.same(missedOf(node.reports), [{ count: 1, reason: 'uplink_lost' }]);
  t.match(checksOf(node.reports), [{ error: { code: 'tcp_refused' } }]);
});

t.test('before server time is known nothing is checked, then what is new at once', async (t) => {
  const node = new ScheduledNode({ isTimeKnown: false });
  node.schedule.take(everything(anAssignment(0)));
  await node.pass(10 * MINUTE_MS);
  t.equal(node.jobs.length, 0);
  node.exchange();
  await node.pass(2000);
  t.equal(checksOf(node.reports).length, 1);
  t.same(missedOf(node.reports), []);
});

t.test('an assignment that the previous process never started waits for its slot', async (t) => {
  const node = new ScheduledNode({ isTimeKnown: false });
  node.schedule.take(everything(anAssignment(0)));
  node.keep();
  await node.kill(1000);
  t.equal(node.jobs.length, 0, 'an assignment before it may have had this one');
  await node.pass(2 * MINUTE_MS);
  t.equal(checksOf(node.reports).length, 2);
  t.same(missedOf(node.reports), []);
});

t.test('a check knows server time, whatever this machine takes for the time', async (t) => {
  const node = new ScheduledNode();
  node.clock.setWall(Date.UTC(2016, 0, 1));
  node.schedule.take(everything(anAssignment(0)));
  t.match(node.jobs, [{ nowMs: Date.UTC(2026, 0, 1) }]);
});

t.test('slots without an agent are reported as one run, those of the last three days', async (t) => {
  const node = new ScheduledNode();
  node.schedule.take(everything(anAssignment(0)));
  await node.pass(2 * MINUTE_MS);
  await node.restart(7 * MINUTE_MS);
  t.match(missedOf(node.reports), [{ reason: 'stopped' }]);
  node.reports.length = 0;
  node.schedule.setLeaseSeconds(30 * 86_400);
  await node.restart(6 * 86_400_000);
  t.same(missedOf(node.reports), [{ count: (72 * 3_600_000) / MINUTE_MS, reason: 'stopped' }]);
  await node.pass(MINUTE_MS);
  t.equal(checksOf(node.reports).length, 1, 'and it goes on in phase');
});

t.test('slots that server time skips are reported as stopped', async (t) => {
  const node = new ScheduledNode();
  node.schedule.take(everything(anAssignment(0)));
  await node.pass(2 * MINUTE_MS);
  node.step(10 * MINUTE_MS);
  await node.pass(MINUTE_MS);
  const [missed] = missedOf(node.reports);
  t.equal(missed?.reason, 'stopped');
  t.ok((missed?.count ?? 0) >= 9);
});

t.test('server time that was wrong by far is not waited for', async (t) => {
  const node = new ScheduledNode();
  node.offsetMs = 10 * 365 * 86_400_000;
  node.step(0);
  node.schedule.take(everything(anAssignment(0)));
  await node.pass(2 * MINUTE_MS);
  node.reports.length = 0;
  node.step(-node.offsetMs);
  await node.pass(2 * MINUTE_MS);
  t.equal(checksOf(node.reports).length, 2);
  t.match(checksOf(node.reports)[0], { state: { streak: 1 } }, 'what was said of that time is forgotten');
});

t.test('another generation begins unchecked, and no slot is checked under both', async (t) => {
  const node = new ScheduledNode();
  node.answer = () => ({ afterMs: 100, judgment: bad('tcp_refused') });
  node.schedule.take(everything(anAssignment(0)));
  await node.pass(2 * MINUTE_MS);
  node.schedule.take({ set: [anAssignment(0, {}, 2)], dropped: [], begins: false, ends: false });
  t.equal(node.jobs.length, 3, 'the slot of now was checked');
  t.same(await node.schedule.newest(), []);
  await node.pass(2 * MINUTE_MS);
  const checks = checksOf(node.reports);
  t.same(
    checks.map(({ generation, state }) => [generation, state?.streak]),
    [
      [1, 1],
      [1, 2],
      [1, 3],
      [2, 1],
      [2, 2],
    ],
  );
  t.equal(new Set(checks.map(({ slot_ms }) => slot_ms)).size, checks.length);
});

t.test(
  'another generation of another interval is checked at once, where its slot began after the last check',
  async (t) => {
    const node = new ScheduledNode();
    node.schedule.take(everything(anAssignment(0)));
    await node.pass(1.5 * MINUTE_MS);
    const often = anAssignment(0, { interval_s: 1 }, 2);
    node.schedule.take({ set: [often], dropped: [], begins: false, ends: false });
    t.equal(node.jobs.length, 3);
  },
);

t.test('a monitor that is taken away and given back within a slot is not checked in it again', async (t) => {
  const node = new ScheduledNode();
  node.schedule.take(everything(anAssignment(0)));
  await node.pass(1000);
  node.schedule.take({ set: [], dropped: [monitorId(0)], begins: false, ends: false });
  node.schedule.take(everything(anAssignment(0)));
  t.equal(node.jobs.length, 1);
  await node.pass(MINUTE_MS);
  t.equal(checksOf(node.reports).length, 2);
});

t.test('a check that outlives its assignment is still reported, and nothing follows it', async (t) => {
  const node = new ScheduledNode();
  node.answer = () => ({ afterMs: 30_000, judgment: good });
  node.schedule.take(everything(anAssignment(0)));
  for (; node.schedule.stats.running === 0; ) await node.pass(500);
  node.schedule.take({ set: [], dropped: [monitorId(0)], begins: false, ends: false });
  await node.pass(5 * MINUTE_MS);
  t.equal(node.reports.length, 1);
  t.same(await node.schedule.newest(), []);
});

t.test('an unreadable assignment is kept, and its checks report this', async (t) => {
  const node = new ScheduledNode();
  const odd = { ...anAssignment(0), specJson: '{"type":' };
  node.schedule.take(everything(odd));
  t.same(Buffer.from(node.schedule.digest()), assignmentsDigest([odd]));
  await node.pass(MINUTE_MS);
  t.match(node.jobs, [{ type: '' }], 'of no type: the measuring process does not know it');
});

t.test('without contact the lease ends everything; an open link is contact, and a restart no end of it', async (t) => {
  const node = new ScheduledNode();
  node.schedule.linkIs(true);
  node.schedule.setLeaseSeconds(30);
  node.schedule.take(everything(anAssignment(0), anAssignment(1)));
  await node.pass(20 * MINUTE_MS, 5000);
  t.equal(node.schedule.stats.assignments, 2, 'linked');
  node.schedule.setLeaseSeconds(600);
  node.schedule.linkIs(false);
  await node.pass(4 * MINUTE_MS, 5000);
  await node.restart(2 * MINUTE_MS);
  t.equal(node.schedule.stats.assignments, 2, 'six minutes later');
  await node.pass(4 * MINUTE_MS + 5000, 5000);
  t.equal(node.schedule.stats.assignments, 0);
  t.equal(node.schedule.digest().length, 0, 'the next link brings everything again');
  await node.restart(0);
  t.equal(node.schedule.stats.assignments, 0);
});

t.test('closing begins nothing, waits for what runs, and leaves what is too slow to the next process', async (t) => {
  const node = new ScheduledNode();
  node.answer = () => ({ afterMs: node.jobs.length === 1 ? 1500 : 60_000, judgment: good });
  node.schedule.take(everything(anAssignment(0)));
  for (; node.schedule.stats.running === 0; ) await node.pass(500);
  await node.restart(0);
  t.equal(checksOf(node.reports).length, 1, 'it had two seconds');
  for (; node.schedule.stats.running === 0; ) await node.pass(500);
  await node.restart(0);
  t.same(missedOf(node.reports), [{ count: 1, reason: 'stopped' }]);
});

t.test('ten thousand monitors start within the same minute, each in its slot', async (t) => {
  const node = new ScheduledNode();
  const all = Array.from({ length: 10_000 }, (_, number) => anAssignment(number));
  node.schedule.take(everything(...all));
  await node.pass(MINUTE_MS, 10);
  const last = node.jobs.length;
  t.ok(last > 10_040 && last <= 10_050, 'and fifty of them at once; those due in the last milliseconds follow');
  t.ok(node.schedule.stats.worstStartLateMs < 50, `${node.schedule.stats.worstStartLateMs} ms`);
  t.equal(node.schedule.stats.slotsMissed, 0);
});

t.test('checks that are due within ten milliseconds begin together', async (t) => {
  const node = new ScheduledNode();
  node.schedule.take(everything(...Array.from({ length: 10_000 }, (_, number) => anAssignment(number))));
  await node.pass(MINUTE_MS / 2, 10);
  let turns = 0;
  for (let ms = 0; ms < 1000; ms += 1) {
    const before = node.jobs.length;
    await node.pass(1);
    if (node.jobs.length > before) turns += 1;
  }
  t.ok(turns <= 100, `${turns} turns of a second`);
});

t.test('a requested check is made at once, and affects neither the grid nor the state', async (t) => {
  const node = new ScheduledNode();
  node.schedule.take(everything(anAssignment(0), anAssignment(1)));
  await node.pass(MINUTE_MS + 500);
  const [before, reported] = [await node.schedule.newest(), node.reports.length];
  node.answer = () => ({ afterMs: 700, judgment: bad('tcp_refused') });
  const beganMs = node.serverNow;
  node.schedule.checkNow({ monitorId: monitorId(0), generation: 1, request: 'ask_1' });
  await node.pass(1000);
  t.match(checksOf(node.reports.slice(reported)), [
    { request: 'ask_1', slot_ms: beganMs, late_ms: 0, state: null, outcome: 'failed', error: { code: 'tcp_refused' } },
  ]);
  t.same(await node.schedule.newest(), before);
  node.answer = () => ({ afterMs: 100, judgment: good });
  await node.pass(2 * MINUTE_MS);
  t.same(missedOf(node.reports), []);
  const ofGrid = checksOf(node.reports).filter(({ monitor_id, request }) => monitor_id === monitorId(0) && !request);
  t.same(
    ofGrid.map(({ slot_ms, state }) => [slotAt(slot_ms, gridOf(0)) - slotAt(beganMs, gridOf(0)), state?.streak]),
    [-1, 0, 1, 2].map((slot, index) => [slot, index + 1]),
  );
});

t.test('a requested check states through when slots are reported, and claims no others', async (t) => {
  const node = new ScheduledNode();
  node.answer = () => ({ afterMs: node.jobs.length === 1 ? 20_000 : 100, judgment: good });
  const slotMs = Math.floor(node.serverNow);
  node.schedule.take(everything(anAssignment(0)));
  await node.pass(1000);
  node.schedule.checkNow({ monitorId: monitorId(0), generation: 1, request: 'ask_1' });
  await node.pass(1000);
  t.match(checksOf(node.reports), [{ request: 'ask_1', through_ms: slotMs }], 'the first check is being made');
});

t.test('at most ten requested checks are in flight, one of a monitor; others are skipped', async (t) => {
  const node = new ScheduledNode();
  node.schedule.take(everything(...Array.from({ length: 12 }, (_, number) => anAssignment(number))));
  await node.pass(MINUTE_MS);
  const ask = (number: number, generation = 1) =>
    node.schedule.checkNow({ monitorId: monitorId(number), generation, request: `ask_${number}` });
  node.answer = () => ({ afterMs: 5000, judgment: good });
  const askedOf = (work: () => void) => {
    const { length } = node.jobs;
    work();
    return node.jobs.slice(length).map(({ caller }) => caller);
  };
  t.same(
    askedOf(() => ask(0, 2)),
    [],
    'another generation',
  );
  t.same(
    askedOf(() => ask(12)),
    [],
    'another monitor',
  );
  t.same(
    askedOf(() => [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].forEach((number) => ask(number))),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(monitorId),
  );
  await node.pass(5500);
  t.same(
    askedOf(() => ask(10)),
    [monitorId(10)],
    'there is room again',
  );
  const closed = node.schedule.close(0);
  t.same(
    askedOf(() => ask(1)),
    [],
    'the agent stops',
  );
  node.clock.advance(0);
  await closed;
});

t.test('slots whose reports were not on disk when the process was killed are reported by the next one', async (t) => {
  const node = new ScheduledNode();
  node.schedule.take(everything(anAssignment(0)));
  const first = slotAt(node.serverNow, gridOf(0));
  await node.pass(2 * MINUTE_MS);
  node.takesReports = false;
  await node.pass(2 * MINUTE_MS);
  node.keep();
  node.takesReports = true;
  await node.kill(5_000);
  await node.pass(2 * MINUTE_MS);
  const slots = node.slotsOf(monitorId(0), MINUTE_MS).map((slotMs) => slotAt(slotMs, gridOf(0)) - first);
  t.same(slots, [0, 1, 2, 3, 4, 5, 6]);
  t.same(missedOf(node.reports), [{ count: 2, reason: 'stopped' }]);
  await node.end();
});
