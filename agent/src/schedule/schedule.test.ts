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

t.test('each slot is checked once, on its grid, and the node says what it makes of the checks', async (t) => {
  const node = new ScheduledNode();
  node.answer = () => ({ afterMs: 100, judgment: node.jobs.length > 2 ? bad('tcp_refused') : good });
  node.schedule.take(everything(anAssignment(0, { consecutive_fail: 2 })));
  const first = slotAt(node.serverNow, gridOf(0)) + 1;
  await node.pass(5 * MINUTE_MS);
  const checks = checksOf(node.reports);
  t.same(
    checks.map(({ slot_ms }) => slot_ms),
    [0, 1, 2, 3, 4].map((slot) => slotStart(first + slot, gridOf(0))),
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
  t.ok(checks.every(({ late_ms }) => late_ms < 2));
  t.match(node.jobs[0], { type: 'tcp', target: 'a.example:80', configJson: '{}', caller: monitorId(0) });
  const [state] = await node.schedule.newest();
  t.match(state, { kind: 'check', subject: monitorId(0), generation: 1, slotMs: checks[4]?.slot_ms });
  t.same(JSON.parse(state?.stateJson ?? ''), checks[4]?.state);
  t.match(node.schedule.stats, { assignments: 1, running: 0, checksDone: 5, slotsMissed: 0 });
  t.equal(node.durable, 5, 'the link is woken for each when it can be read');
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
  t.equal(checksOf(node.reports).length, 3);
});

t.test('what was not measured for want of room is a slot missed, not a check that failed', async (t) => {
  const node = new ScheduledNode();
  node.answer = () => ({ afterMs: 5000, judgment: bad('overload') });
  node.schedule.take(everything(anAssignment(0)));
  await node.pass(MINUTE_MS + 10_000);
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

t.test('before server time is known nothing is checked, then from the next slot on', async (t) => {
  const node = new ScheduledNode({ isTimeKnown: false });
  node.schedule.take(everything(anAssignment(0)));
  await node.pass(10 * MINUTE_MS);
  t.equal(node.jobs.length, 0);
  node.exchange();
  await node.pass(MINUTE_MS + 1000);
  t.equal(checksOf(node.reports).length, 1);
  t.same(missedOf(node.reports), []);
});

t.test('slots of the time without an agent are told as one run, those of the last three days', async (t) => {
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

t.test('slots that server time leaps over are told as stopped', async (t) => {
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
  await node.pass(3 * MINUTE_MS);
  node.schedule.take({ set: [anAssignment(0, {}, 2)], dropped: [], begins: false, ends: false });
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

t.test('an assignment that nobody can read is one all the same, and its checks say so', async (t) => {
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
  t.equal(node.jobs.length, 10_000);
  t.ok(node.schedule.stats.worstStartLateMs < 50, `${node.schedule.stats.worstStartLateMs} ms`);
  t.equal(node.schedule.stats.slotsMissed, 0);
});
