import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { parseToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import type { Knex } from 'knex';
import t from 'tap';
import { HeartbeatJudging } from '../src/modules/monitors/heartbeats/heartbeat-judging.js';
import { storePing } from '../src/modules/monitors/heartbeats/ping-store.js';
import { claimDue } from '../src/modules/monitors/heartbeats/store.js';
import { DeadlySteps } from './_support/deadly-steps.js';
import { aHeartbeat, eventsOf, ping, pingsOf, read } from './_support/heartbeats.js';
import { keepEvents, monitorEvents } from './_support/kept-events.js';
import { startSmtpServer } from './_support/smtp-server.js';
import { startReplica, startStack } from './_support/stack.js';
import { World } from './_support/world.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const iso = (ms: number) => new Date(ms).toISOString();
const every = (interval_s: number, more: object = {}) => ({ config: { interval_s, grace_s: 60, ...more } });

/** Start of today: what tests ask for lies within the partitions of these days. */
const todayMs = Date.now() - (Date.now() % DAY_MS);
const clock = new FakeClock(todayMs, { rounds: ['heartbeats'] });
const { api, database } = await startStack(t, {}, clock);
const { db } = database;
await keepEvents(db);

/** Lets time pass, and judges what is due then. */
async function pass(ms: number): Promise<void> {
  clock.setWall(clock.now() + ms);
  await clock.sweep();
}

/** Checks in, and judges it. */
async function pinged(url: string): Promise<void> {
  await ping(url);
  await clock.sweep();
}

const statusOf = async (id: string) => (await read(api, id)).current_status;
const kindsOf = (id: string) => monitorEvents(db).where({ subject: id }).pluck('kind');

/** State that a replica leaves behind when it stores a failure and dies before it judges it. */
async function storeFailure(db: Knex, token: string, atMs: number) {
  const { secretHash } = parseToken(tokenPrefixes.heartbeat, token) ?? { secretHash: Buffer.alloc(0) };
  const common = { exitCode: null, body: Buffer.alloc(0), ip: '::1', via: 'GET', rid: null, durationMs: null } as const;
  await storePing(db, secretHash, new Date(atMs), { kind: 'fail', ...common });
}

t.test('a missed deadline opens an event at the due time, with an outbox row and a mail; a ping ends it', async (t) => {
  const clock = new FakeClock(todayMs, { rounds: ['heartbeats', 'events', 'alerts', 'alert messages'] });
  const mails = await startSmtpServer(t);
  const { api, database } = await startStack(t, { VANTAGE_SMTP_URL: `smtp://${mails.host}` }, clock);
  const { db } = database;
  const world = new World({ db, clock });
  /** Lets time pass, with the judgments, events and mails that are due then. */
  const pass = async (ms: number) => {
    clock.setWall(clock.now() + ms);
    for (const _ of ['judgments', 'events']) await clock.sweep();
    await world.settle();
  };
  await keepEvents(db);
  await db('users').update({ email_verified_at: new Date() });
  const { id, heartbeat } = await aHeartbeat(api, every(600));
  await pass(HOUR_MS);
  t.equal((await read(api, id)).heartbeat.state, 'new', 'no alert before the first ping');
  await ping(heartbeat.url);
  const pingedMs = clock.now();
  await pass(600_001);
  t.match(await read(api, id), { current_status: 'up', heartbeat: { state: 'late' } });
  await pass(59_999);
  t.match(await read(api, id), { current_status: 'up', heartbeat: { state: 'late' } }, 'until the end of its grace');
  await pass(5 * MINUTE_MS);
  t.match(await read(api, id), { current_status: 'down', heartbeat: { state: 'down' }, next_check_at: null });
  const [event] = await eventsOf(api, id);
  t.match(event, {
    type: 'down',
    started_at: iso(pingedMs + 660_000),
    ended_at: null,
    affected_nodes: [],
    reason: `no ping came that was expected at ${iso(pingedMs + 600_000)}`,
  });
  t.equal(mails.mails.length, 1);
  await pass(MINUTE_MS);
  await ping(heartbeat.url);
  await pass(0);
  t.equal((await read(api, id)).current_status, 'up');
  t.match(await eventsOf(api, id), [{ id: event.id, ended_at: iso(clock.now()), duration_sec: 360 }]);
  t.same(await monitorEvents(db).pluck('kind'), ['monitor.down', 'monitor.up']);
  t.equal(mails.mails.length, 2);
  const share = 100 * (1 - 360 / ((clock.now() - pingedMs) / 1_000));
  t.ok(Math.abs((await read(api, id)).uptime_percent - share) < 0.001, 'uptime counts from the first ping');
});

t.test('a ping that arrives after the deadline but before the check ends an outage and does not hide it', async (t) => {
  const { id, heartbeat } = await aHeartbeat(api, every(600));
  await pinged(heartbeat.url);
  t.equal(await statusOf(id), 'up');
  const dueMs = clock.now() + 660_000;
  clock.setWall(dueMs + 1_000);
  await pinged(heartbeat.url);
  t.match(await eventsOf(api, id), [{ started_at: iso(dueMs), ended_at: iso(dueMs + 1_000) }]);
  t.same(await kindsOf(id), ['monitor.down', 'monitor.up']);
});

t.test('one missed deadline is noticed once by two replicas', async (t) => {
  await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: api.url }, clock);
  const made = [];
  for (let i = 0; i < 10; i += 1) made.push(await aHeartbeat(api, { name: `Job ${i}`, ...every(600) }));
  const ids = made.map(({ id }) => id);
  await Promise.all(made.map(({ heartbeat }) => ping(heartbeat.url)));
  await clock.sweep();
  await pass(HOUR_MS);
  const events = await db('monitor_events').whereIn('monitor_id', ids).select('monitor_id', 'ended_at');
  t.same(events.map(({ monitor_id }) => monitor_id).sort(), ids.toSorted());
  t.same(
    await monitorEvents(db).whereIn('subject', ids).pluck('kind'),
    ids.map(() => 'monitor.down'),
  );
});

t.test('runs are measured by name, and a run that exceeds its limit takes the monitor down', async (t) => {
  const { id, heartbeat } = await aHeartbeat(api, { config: { max_duration_s: 300 } });
  await pinged(`${heartbeat.url}/start?rid=a`);
  t.match(
    await read(api, id),
    { current_status: 'unknown', heartbeat: { state: 'started' } },
    'a job that has only started has no state',
  );
  await pass(MINUTE_MS);
  await pinged(`${heartbeat.url}?rid=a`);
  t.equal(await statusOf(id), 'up');
  await pinged(`${heartbeat.url}/start?rid=b`);
  const startedMs = clock.now();
  t.match(await read(api, id), { next_check_at: iso(startedMs + 300_000), heartbeat: { state: 'started' } });
  await pass(6 * MINUTE_MS);
  t.equal(await statusOf(id), 'down');
  t.match(await eventsOf(api, id), [{ started_at: iso(startedMs + 300_000), reason: /longer than 300 s/ }]);
  await pinged(`${heartbeat.url}?rid=b`);
  t.same(await pingsOf(db, id).whereNotNull('duration_ms').pluck('duration_ms'), [60_000, 360_000]);
  t.equal(await statusOf(id), 'down');
  await pinged(heartbeat.url);
  t.equal(await statusOf(id), 'up');
});

t.test('a run that hangs takes the monitor down while others start and end, and each run is measured', async (t) => {
  const { id, heartbeat } = await aHeartbeat(api, { config: { max_duration_s: 300 } });
  await pinged(`${heartbeat.url}/start?rid=a`);
  const startedMs = clock.now();
  await pass(MINUTE_MS);
  await pinged(`${heartbeat.url}/start?rid=b`);
  await pinged(`${heartbeat.url}/start?rid=c`);
  await pass(MINUTE_MS);
  await pinged(`${heartbeat.url}?rid=b`);
  await pinged(`${heartbeat.url}?rid=c`);
  t.match(await read(api, id), { next_check_at: iso(startedMs + 300_000), heartbeat: { state: 'up' } });
  await pass(3 * MINUTE_MS + 1);
  t.match(await eventsOf(api, id), [{ started_at: iso(startedMs + 300_000), reason: /longer than 300 s/ }]);
  await pinged(`${heartbeat.url}/0?rid=a`);
  t.same(await pingsOf(db, id).whereNotNull('duration_ms').pluck('duration_ms'), [60_000, 60_000, 300_001]);
  t.equal(await statusOf(id), 'down');
  await pinged(heartbeat.url);
  t.match(await read(api, id), { current_status: 'up', next_check_at: iso(clock.now() + DAY_MS + HOUR_MS) });
});

t.test('pausing ends the event, pings are still accepted, and resuming starts again', async (t) => {
  const { id, heartbeat } = await aHeartbeat(api, every(600));
  await pinged(`${heartbeat.url}/fail`);
  t.equal(await statusOf(id), 'down');
  t.equal((await api.call('POST', `/v1/monitors/${id}/pause`)).status, 200);
  t.match(await eventsOf(api, id), [{ ended_at: String }]);
  await pass(24 * HOUR_MS);
  await ping(`${heartbeat.url}/fail`);
  await pass(2_000);
  const paused = await read(api, id);
  t.match(paused, { status: 'paused', current_status: 'unknown', next_check_at: null });
  t.match(paused.heartbeat, { state: 'paused', ping_count: 2, next_expected: [] });
  t.match(await db('heartbeats').where({ monitor_id: id }), [{ due_at: null }]);
  // not judged before the monitor is resumed
  await storeFailure(db, heartbeat.token, clock.now());
  t.equal((await api.call('POST', `/v1/monitors/${id}/resume`)).status, 200);
  const resumedMs = clock.now();
  t.match(await read(api, id), { current_status: 'unknown', next_check_at: iso(resumedMs + 660_000) });
  await pass(660_000);
  t.equal((await eventsOf(api, id)).length, 1, 'no alert for the pause');
  await pass(2_000);
  t.equal(await statusOf(id), 'down');
  t.match((await eventsOf(api, id))[0], { started_at: iso(resumedMs + 660_000) });
  t.same(await kindsOf(id), ['monitor.down', 'monitor.paused', 'monitor.resumed', 'monitor.down']);
});

t.test('a changed config applies from the change on; a changed name moves no deadline', async (t) => {
  const { id, heartbeat } = await aHeartbeat(api, every(86_400));
  await pinged(heartbeat.url);
  const { next_check_at } = await read(api, id);
  await pass(5 * HOUR_MS);
  const renamed = await api.call('PATCH', `/v1/monitors/${id}`, { body: { name: 'Other' } });
  t.match(renamed.body.data, { name: 'Other', next_check_at, heartbeat: { state: 'up' } });
  const config = { mode: 'cron', cron_expr: '0 6 * * *', timezone: 'Asia/Kolkata', grace_s: 0 };
  const changed = await api.call('PATCH', `/v1/monitors/${id}`, { body: { config } });
  // six o'clock there
  const sixMs = todayMs + HOUR_MS / 2;
  t.match(changed.body.data, {
    interval_s: 86_400,
    config: { ...config, max_duration_s: 0 },
    next_check_at: iso(sixMs + DAY_MS * Math.ceil((clock.now() - sixMs) / DAY_MS)),
  });
  t.equal((await eventsOf(api, id)).length, 0);
  for (const fields of [{ target: 'x' }, { interval_s: 60 }, { interval_sec: 60 }, { node_count: 1 }]) {
    t.equal((await api.call('PATCH', `/v1/monitors/${id}`, { body: fields })).status, 400, JSON.stringify(fields));
  }
});

t.test('a ping whose replica died before judging it is judged by another', async (t) => {
  const { id, heartbeat } = await aHeartbeat(api);
  await storeFailure(db, heartbeat.token, clock.now());
  t.match(await read(api, id), { current_status: 'unknown', heartbeat: { state: 'down' } }, 'visible to every reader');
  await clock.sweep();
  t.equal(await statusOf(id), 'down');
});

t.test('a monitor that goes down in a maintenance window is reported at its end if it is still down', async (t) => {
  const { id, heartbeat } = await aHeartbeat(api, every(600));
  await pinged(heartbeat.url);
  const window = { isNow: true, untilMs: null, endedAtMs: null as number | null };
  const judging = new HeartbeatJudging({ maintenance: async () => new Map([[id, window]]) });
  const judgeAt = (nowMs: number) =>
    db.transaction(async (trx) => {
      const ids = (await claimDue(trx, new Date(nowMs), 100)).filter((due) => due === id);
      await judging.judge(trx, ids, nowMs);
      return ids.length;
    });
  const startMs = clock.now();
  t.equal(await judgeAt(startMs + HOUR_MS), 1);
  t.equal(await statusOf(id), 'down');
  t.equal((await eventsOf(api, id)).length, 0);
  t.equal(await judgeAt(startMs + HOUR_MS), 0, 'not again at once');
  Object.assign(window, { isNow: false, endedAtMs: startMs + 2 * HOUR_MS });
  t.equal(await judgeAt(startMs + 2 * HOUR_MS + 1), 1);
  t.match(await eventsOf(api, id), [{ started_at: iso(startMs + 2 * HOUR_MS), ended_at: null }]);
  t.same(await kindsOf(id), ['monitor.down']);
});

t.test(
  'a judgment that fails at any step leaves nothing behind, and the next judgment creates one event',
  async (t) => {
    const { id, heartbeat } = await aHeartbeat(api, every(600));
    const steps = ['monitor_states', 'monitor_events', 'outbox', 'heartbeats'];
    const deadly = await DeadlySteps.prepare(db, steps);
    for (const [index, table] of steps.entries()) {
      await pinged(heartbeat.url);
      await deadly.arm(table);
      await pass(HOUR_MS);
      await deadly.waitForDeath();
      t.equal((await eventsOf(api, id)).length, index, table);
      t.equal((await kindsOf(id)).length, 2 * index, table);
      await deadly.disarm();
      await clock.sweep();
      t.equal(await statusOf(id), 'down');
      t.equal((await eventsOf(api, id)).length, index + 1, table);
    }
  },
);
