import type { CheckReport } from '@vantage/shared/monitor-state/check-report.js';
import t, { type Test } from 'tap';
import type { Delivered } from '../src/modules/monitors/checks/check-store.js';
import { endsUpTheSame } from './_support/late-histories.js';
import { INTERVAL_MS, LateMonitor } from './_support/late-monitor.js';
import { aCheck, insertMonitor, store } from './_support/stored-monitor.js';

const MINUTE_MS = INTERVAL_MS;
type Check = Delivered<CheckReport>;

const byNode = (one: LateMonitor, checks: readonly Check[]) =>
  one.nodeIds.map((id) => checks.filter(({ nodeId }) => nodeId === id));

t.test(
  'after an hour of partition and the backlog no one was paged, and history and episodes are complete',
  async (t) => {
    const one = await LateMonitor.create(t, 120);
    const isDown = (minute: number) => (minute >= 20 && minute < 30) || (minute >= 45 && minute < 50);
    const [before, cut, after] = [one.checks(0, 10, isDown), one.checks(10, 70, isDown), one.checks(70, 80, isDown)];
    await one.inTime(before);
    await one.passUntil(70);
    t.match(await one.state(), { health: 'unknown' });
    // each node's backlog in its order, a dozen rows at a time
    for (const backlog of byNode(one, cut)) while (backlog.length > 0) await store(one.db, backlog.splice(0, 12));
    await one.inTime(after);
    t.match(await one.state(), { health: 'up' });
    const state = await one.state();
    await one.correct();
    t.same(await one.notified(), [], 'no page');
    t.same(await one.db('outbox'), [], 'no webhook');
    t.equal((await one.db('monitor_checks')).length, 3 * 80);
    t.same(await one.events(), [
      { type: 'down', from: one.slotMs(1, 21) - one.startMs, to: one.slotMs(1, 30) - one.startMs },
      { type: 'down', from: one.slotMs(1, 46) - one.startMs, to: one.slotMs(1, 50) - one.startMs },
    ]);
    t.match(await one.db('monitor_events').orderBy('started_at'), [
      { backfilled: true, was_told: false, reason: '2 of 3 nodes: tcp_refused: check', affected_nodes: { length: 2 } },
      { backfilled: true },
    ]);
    t.equal(await one.downMs(80), 9 * MINUTE_MS + 4 * MINUTE_MS, 'uptime follows');
    t.same(await one.state(), state, 'the present state is unchanged');
  },
);

t.test('the times of a published event are corrected by late results, and its id stays', async (t) => {
  const one = await LateMonitor.create(t, 120);
  // it goes down, up, down again and up while no result is delivered
  const isDown = (minute: number) => (minute >= 5 && minute < 20) || (minute >= 40 && minute < 50);
  await one.inTime(one.checks(0, 10, isDown));
  const cut = one.checks(10, 60, isDown);
  const after = one.checks(60, 65, isDown);
  const [event] = await one.db('monitor_events');
  t.match(event, { ended_at: null });
  await one.passUntil(60);
  for (const backlog of byNode(one, cut)) await store(one.db, backlog);
  await one.correct();
  t.same(await one.db('monitor_events'), [event], 'an open event is left to judging');
  await one.inTime(after);
  await one.correct();
  t.same(await one.events(), [
    { type: 'down', from: one.slotMs(1, 6) - one.startMs, to: one.slotMs(1, 20) - one.startMs },
    { type: 'down', from: one.slotMs(1, 41) - one.startMs, to: one.slotMs(1, 50) - one.startMs },
  ]);
  t.match(await one.db('monitor_events').orderBy('started_at'), [
    { id: event.id, backfilled: true, was_told: true },
    { backfilled: true, was_told: false },
  ]);
  t.equal((await one.notified()).length, 2, 'one mail that it is down, one that it is up');
});

t.test('a monitor whose past cannot be replayed delays no other, and is retried later', async (t) => {
  const one = await LateMonitor.create(t, 120);
  const other = await one.another();
  const isDown = (minute: number) => minute >= 5 && minute < 10;
  for (const each of [one, other]) await store(one.db, each.checks(0, 40, isDown));
  await one.passUntil(40);
  await one.db('monitors').where({ id: one.monitor.id }).update({ fail_node_quorum: 'invalid' });
  await one.db('monitor_states').update({ same_rule_since: new Date(one.startMs) });
  const noted = () => one.db('late_checks').where({ monitor_id: one.monitor.id });
  await one.db('late_checks').update({ due_at: new Date(1_000) });
  await noted().update({ due_at: new Date(0) });
  await one.lateResults().run();
  t.equal((await other.events()).length, 1);
  const waiting = await noted();
  t.ok(waiting.length > 0 && waiting.every(({ due_at }) => due_at.getTime() > Date.now()), 'nothing of it is lost');
});

t.test('an event that history contradicts stays, is disputed and counts in no uptime', async (t) => {
  const one = await LateMonitor.create(t, 120);
  await one.db('monitors').update({ fail_node_quorum: 'all' });
  await one.db('monitor_states').update({ same_rule_since: new Date(one.startMs) });
  const isDown = (minute: number) => minute >= 10 && minute < 20;
  const checks: Check[] = [];
  // the third node sees it up all the time, and cannot report it
  for (let minute = 0; minute < 40; minute += 1)
    for (const node of [0, 1, 2]) checks.push(one.make(node, minute, node < 2 && isDown(minute) ? 'failed' : 'ok'));
  const isCut = ({ nodeId, body }: Check) =>
    nodeId === one.nodeIds[2] && body.slot_ms >= one.slotMs(2, 5) && body.slot_ms < one.slotMs(2, 30);
  await one.db('nodes').where({ id: one.nodeIds[2] }).update({ left_at: null });
  const between = (from: number, to: number) =>
    checks.filter(
      (each) => !isCut(each) && each.body.slot_ms >= one.slotMs(0, from) && each.body.slot_ms < one.slotMs(0, to),
    );
  await one.inTime(between(0, 5));
  // it has no link from now on, and therefore no vote
  await one
    .db('node_progress')
    .where({ node_id: one.nodeIds[2] })
    .update({ complete_through: new Date(0) });
  await one.inTime(between(5, 30));
  t.equal((await one.events()).length, 1);
  t.ok((await one.downMs(40)) > 0);
  await store(one.db, checks.filter(isCut));
  await one.inTime(between(30, 40));
  await one.correct();
  t.same(await one.events(), []);
  t.match(await one.db('monitor_events'), [{ disputed: true, was_told: true, ended_at: Date }]);
  t.equal(await one.downMs(40), 0);
});

t.test('the same results lead to the same events and uptime, in any order and with any delay', (t) =>
  // more histories: late-results.long.test.ts
  endsUpTheSame(t, 1),
);

t.test('results in time are not recorded for replay', async (t) => {
  const one = await LateMonitor.create(t, 1);
  const now = Date.now();
  const [node] = one.nodeIds as [string];
  const check = (slot_ms: number, verdict: 'ok' | 'failing', since_ms: number) =>
    aCheck(one.monitor.id, node, {
      slot_ms,
      outcome: verdict === 'ok' ? 'ok' : 'failed',
      state: { verdict, since_ms, streak: 1 },
    });
  const late = () => one.db('late_checks');
  await store(one.db, [check(now - 30_000, 'ok', now - 30_000)]);
  await store(one.db, [check(now - 20_000, 'failing', now - 20_000)]);
  await store(one.db, [check(now - 10_000, 'failing', now - 20_000), check(now, 'ok', now)]);
  t.same(await late(), [], 'one after another, or together with the reported one that makes it old');
  await store(one.db, [check(now - 25_000, 'ok', now - 30_000)]);
  t.match(await late(), [{ from_at: new Date(now - 25_000) }], 'older than the applied results');
  await late().delete();
  await store(one.db, [check(now + 1_000, 'failing', now + 1_000), check(now + 2_000, 'ok', now + 2_000)]);
  t.match(
    await late(),
    [{ from_at: new Date(now + 1_000), to_at: new Date(now + 1_000) }],
    'reported and over at once',
  );
  await late().delete();
  await store(one.db, [check(now - 125_000, 'ok', now - 125_000)]);
  t.match(await late(), [{}], 'two minutes late');
});

t.test('records that must not be replayed are dropped: deleted monitors, and times of another rule', async (t) => {
  const one = await LateMonitor.create(t, 60);
  await one.passUntil(50);
  await store(
    one.db,
    one.checks(0, 20, (minute) => minute > 5 && minute < 10),
  );
  await one.db('monitors').where({ id: one.monitor.id }).update({ fail_node_quorum: 'any' });
  const gone = await insertMonitor(one.db, []);
  await one.db('monitors').where({ id: gone.id }).delete();
  await one.db('late_checks').insert({ monitor_id: gone.id, from_at: new Date(), to_at: new Date() });
  await one.correct();
  t.same(await one.events(), []);
  t.same(await one.db('late_checks'), []);
});

t.test('checks of a node that no longer has the monitor change no event', async (t: Test) => {
  const one = await LateMonitor.create(t, 60);
  await one.db('monitor_assignments').update({ ended_at: new Date() });
  await store(
    one.db,
    one.checks(0, 20, (minute) => minute > 5),
  );
  t.same(await one.db('late_checks'), []);
  await one.db('late_checks').insert({ monitor_id: one.monitor.id, from_at: new Date(one.startMs), to_at: new Date() });
  await one.passUntil(59);
  await one.correct();
  t.same(await one.events(), []);
});
