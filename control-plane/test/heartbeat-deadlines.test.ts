import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { parseToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import t from 'tap';
import { ensurePartitions } from '../src/db/partitions.js';
import { HeartbeatJudging } from '../src/modules/monitors/heartbeats/heartbeat-judging.js';
import { storePing } from '../src/modules/monitors/heartbeats/ping-store.js';
import { claimDue } from '../src/modules/monitors/heartbeats/store.js';
import type { TestDatabase } from './_support/database.js';
import { DeadlySteps } from './_support/deadly-steps.js';
import { aHeartbeat, becomes, eventsOf, ping, read } from './_support/heartbeats.js';
import { keepEvents, monitorNews } from './_support/kept-events.js';
import { startSmtpServer } from './_support/smtp-server.js';
import { startReplica, startStack } from './_support/stack.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const iso = (ms: number) => new Date(ms).toISOString();
const every = (interval_s: number, more: object = {}) => ({ config: { interval_s, grace_s: 60, ...more } });

/** State that a replica leaves behind when it stores a failure and dies before it judges it. */
async function storeFailure(db: TestDatabase['db'], token: string, atMs: number) {
  const { secretHash } = parseToken(tokenPrefixes.heartbeat, token) ?? { secretHash: Buffer.alloc(0) };
  const common = { exitCode: null, body: Buffer.alloc(0), ip: '::1', via: 'GET', rid: null, durationMs: null } as const;
  await storePing(db, secretHash, new Date(atMs), { kind: 'fail', ...common });
}

t.test('a missed deadline opens an event at the due time, with an outbox row and a mail; a ping ends it', async (t) => {
  const clock = new FakeClock();
  const mails = await startSmtpServer(t);
  const { api, database } = await startStack(t, { VANTAGE_SMTP_URL: `smtp://${mails.host}` }, clock);
  await keepEvents(database.db);
  await database.db('users').update({ email_verified_at: new Date() });
  const sent = () => database.db('alert_deliveries').where({ status: 'sent' });
  const { id, heartbeat } = await aHeartbeat(api, every(600));
  clock.advance(HOUR_MS);
  t.equal((await read(api, id)).heartbeat.state, 'new', 'no alert before the first ping');
  await ping(heartbeat.url);
  const pingedMs = clock.now();
  await becomes(api, id, 'up');
  clock.advance(600_001);
  t.match(await read(api, id), { current_status: 'up', heartbeat: { state: 'late' } });
  clock.advance(59_999);
  t.match(await read(api, id), { current_status: 'up', heartbeat: { state: 'late' } }, 'until the end of its grace');
  clock.advance(5 * MINUTE_MS);
  await becomes(api, id, 'down');
  t.match(await read(api, id), { heartbeat: { state: 'down' }, next_check_at: null });
  const [event] = await eventsOf(api, id);
  t.match(event, {
    type: 'down',
    started_at: iso(pingedMs + 660_000),
    ended_at: null,
    affected_nodes: [],
    reason: `no ping came that was expected at ${iso(pingedMs + 600_000)}`,
  });
  // an alert that ends earlier is not sent at all, and a clock that leaps during the dialogue with the server is its time-out
  await until('the first mail to be marked as sent', async () => (await sent()).length === 1);
  clock.advance(MINUTE_MS);
  await ping(heartbeat.url);
  await becomes(api, id, 'up');
  t.match(await eventsOf(api, id), [{ id: event.id, ended_at: iso(clock.now()), duration_sec: 360 }]);
  t.same(await monitorNews(database.db).pluck('kind'), ['monitor.down', 'monitor.up']);
  await until('both mails', async () => (await sent()).length === 2);
  t.equal(mails.mails.length, 2);
  const share = 100 * (1 - 360 / ((clock.now() - pingedMs) / 1_000));
  t.ok(Math.abs((await read(api, id)).uptime_percent - share) < 0.001, 'uptime counts from the first ping');
});

t.test('a ping that arrives after the deadline but before the check ends an outage and does not hide it', async (t) => {
  const clock = new FakeClock();
  const { api, database } = await startStack(t, {}, clock);
  await keepEvents(database.db);
  const { id, heartbeat } = await aHeartbeat(api, every(600));
  await ping(heartbeat.url);
  await becomes(api, id, 'up');
  const dueMs = clock.now() + 660_000;
  clock.setWall(dueMs + 1_000);
  await ping(heartbeat.url);
  await until('the event', async () => (await eventsOf(api, id)).length === 1);
  t.match(await eventsOf(api, id), [{ started_at: iso(dueMs), ended_at: iso(dueMs + 1_000) }]);
  t.same(await monitorNews(database.db).pluck('kind'), ['monitor.down', 'monitor.up']);
});

t.test('one missed deadline is noticed once by two replicas', async (t) => {
  const clock = new FakeClock();
  const { api, database } = await startStack(t, {}, clock);
  await keepEvents(database.db);
  await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: api.url }, clock);
  const made = [];
  for (let i = 0; i < 20; i += 1) made.push(await aHeartbeat(api, { name: `Job ${i}`, ...every(600) }));
  for (const { heartbeat } of made) await ping(heartbeat.url);
  for (const { id } of made) await becomes(api, id, 'up');
  clock.advance(HOUR_MS);
  for (const { id } of made) await becomes(api, id, 'down');
  const events = await database.db('monitor_events').select('monitor_id', 'ended_at');
  t.equal(events.length, 20);
  t.equal(new Set(events.map(({ monitor_id }) => monitor_id)).size, 20);
  t.equal((await monitorNews(database.db)).length, 20);
});

t.test('runs are measured by name, and a run that exceeds its limit takes the monitor down', async (t) => {
  const clock = new FakeClock();
  const { api, database } = await startStack(t, {}, clock);
  const { id, heartbeat } = await aHeartbeat(api, { config: { max_duration_s: 300 } });
  await ping(`${heartbeat.url}/start?rid=a`);
  await until('a start', async () => (await read(api, id)).heartbeat.state === 'started');
  t.equal((await read(api, id)).current_status, 'unknown', 'a job that has only started has no state');
  clock.advance(MINUTE_MS);
  await ping(`${heartbeat.url}?rid=a`);
  await becomes(api, id, 'up');
  await ping(`${heartbeat.url}/start?rid=b`);
  await until('a judgment', async () => (await read(api, id)).heartbeat.state === 'started');
  const startedMs = clock.now();
  t.equal(Date.parse((await read(api, id)).next_check_at), startedMs + 300_000);
  clock.advance(6 * MINUTE_MS);
  await becomes(api, id, 'down');
  t.match(await eventsOf(api, id), [{ started_at: iso(startedMs + 300_000), reason: /longer than 300 s/ }]);
  await ping(`${heartbeat.url}?rid=b`);
  await until('the durations', async () => {
    const durations = await database
      .db('heartbeat_pings')
      .whereNotNull('duration_ms')
      .orderBy('seq')
      .pluck('duration_ms');
    return String(durations) === '60000,360000';
  });
  t.equal((await read(api, id)).current_status, 'down');
  await ping(heartbeat.url);
  await becomes(api, id, 'up');
});

t.test('pausing ends the event, pings are still accepted, and resuming starts again', async (t) => {
  const clock = new FakeClock();
  const { api, database } = await startStack(t, {}, clock);
  await keepEvents(database.db);
  const { id, heartbeat } = await aHeartbeat(api, every(600));
  await ping(`${heartbeat.url}/fail`);
  await becomes(api, id, 'down');
  t.equal((await api.call('POST', `/v1/monitors/${id}/pause`)).status, 200);
  t.match(await eventsOf(api, id), [{ ended_at: String }]);
  clock.advance(24 * HOUR_MS);
  await ping(`${heartbeat.url}/fail`);
  clock.advance(2_000);
  const paused = await read(api, id);
  t.match(paused, { status: 'paused', current_status: 'unknown', next_check_at: null });
  t.match(paused.heartbeat, { state: 'paused', ping_count: 2, next_expected: [] });
  await until('no due time', async () => (await database.db('heartbeats').first()).due_at === null);
  // no sweep runs while the clock stands still
  await storeFailure(database.db, heartbeat.token, clock.now());
  t.equal((await api.call('POST', `/v1/monitors/${id}/resume`)).status, 200);
  const resumedMs = clock.now();
  t.match(await read(api, id), { current_status: 'unknown', next_check_at: iso(resumedMs + 660_000) });
  clock.advance(660_000);
  t.equal((await eventsOf(api, id)).length, 1, 'no alert for the pause');
  clock.advance(2_000);
  await becomes(api, id, 'down');
  t.match((await eventsOf(api, id))[0], { started_at: iso(resumedMs + 660_000) });
  const kinds = await monitorNews(database.db).pluck('kind');
  t.same(kinds, ['monitor.down', 'monitor.paused', 'monitor.resumed', 'monitor.down']);
});

t.test('a changed config applies from the change on; a changed name moves no deadline', async (t) => {
  const clock = new FakeClock();
  const { api } = await startStack(t, {}, clock);
  const { id, heartbeat } = await aHeartbeat(api, every(86_400));
  await ping(heartbeat.url);
  await becomes(api, id, 'up');
  const { next_check_at } = await read(api, id);
  clock.advance(5 * HOUR_MS);
  const renamed = await api.call('PATCH', `/v1/monitors/${id}`, { body: { name: 'Other' } });
  t.match(renamed.body.data, { name: 'Other', next_check_at, heartbeat: { state: 'up' } });
  const body = { config: { mode: 'cron', cron_expr: '0 6 * * *', grace_s: 0 } };
  const changed = await api.call('PATCH', `/v1/monitors/${id}`, { body });
  t.match(changed.body.data, {
    interval_s: 86_400,
    config: { ...body.config, timezone: 'UTC', max_duration_s: 0 },
    next_check_at: '2026-01-01T06:00:00.000Z',
  });
  t.equal((await eventsOf(api, id)).length, 0);
  for (const fields of [{ target: 'x' }, { interval_s: 60 }, { interval_sec: 60 }, { node_count: 1 }]) {
    t.equal((await api.call('PATCH', `/v1/monitors/${id}`, { body: fields })).status, 400, JSON.stringify(fields));
  }
});

t.test(
  'a judgment that fails at any step leaves nothing behind, and the next judgment creates one event',
  async (t) => {
    const clock = new FakeClock();
    const { api, database } = await startStack(t, {}, clock);
    await keepEvents(database.db);
    const { db } = database;
    const { id, heartbeat } = await aHeartbeat(api, every(600));
    const steps = ['monitor_states', 'monitor_events', 'outbox', 'heartbeats'];
    const deadly = await DeadlySteps.prepare(db, steps);
    for (const [index, table] of steps.entries()) {
      await ping(heartbeat.url);
      await becomes(api, id, 'up');
      await deadly.arm(table);
      clock.advance(HOUR_MS);
      await deadly.waitForDeath();
      t.equal((await eventsOf(api, id)).length, index, table);
      t.equal((await monitorNews(db)).length, 2 * index, table);
      await deadly.disarm();
      clock.advance(1_000);
      await becomes(api, id, 'down');
      t.equal((await eventsOf(api, id)).length, index + 1, table);
    }
  },
);

t.test('a ping whose replica died before judging it is judged by another', async (t) => {
  const clock = new FakeClock();
  const { api, database } = await startStack(t, {}, clock);
  const { id, heartbeat } = await aHeartbeat(api);
  await storeFailure(database.db, heartbeat.token, clock.now());
  t.equal((await read(api, id)).heartbeat.state, 'down', 'visible to every reader');
  t.equal((await read(api, id)).current_status, 'unknown');
  clock.advance(1_000);
  await becomes(api, id, 'down');
});

t.test('deadlines follow the wall clock through the change of clocks in Europe/Berlin after 2026-03-27', async (t) => {
  const clock = new FakeClock(Date.parse('2026-03-27T01:30:00Z'));
  const { api, database } = await startStack(t, {}, clock);
  const config = { mode: 'cron', cron_expr: '30 2 * * *', timezone: 'Europe/Berlin', grace_s: 600 };
  const { id, heartbeat } = await aHeartbeat(api, { config });
  // time at which a job due at half past two is down: before the change, in its night and after it
  for (const deadline of ['2026-03-28T01:40:00Z', '2026-03-29T01:10:00Z', '2026-03-30T00:40:00Z']) {
    await ensurePartitions(database.db, clock.now());
    await ping(heartbeat.url);
    t.equal((await read(api, id)).next_check_at, iso(Date.parse(deadline)));
    await becomes(api, id, 'up');
    clock.advance(Date.parse(deadline) - clock.now());
    t.match(await read(api, id), { current_status: 'up', heartbeat: { state: 'late' } }, deadline);
    clock.advance(1_000);
    await becomes(api, id, 'down');
    t.equal((await eventsOf(api, id))[0].started_at, iso(Date.parse(deadline)));
  }
});

t.test('a monitor that goes down in a maintenance window is reported at its end if it is still down', async (t) => {
  const clock = new FakeClock();
  const { api, database } = await startStack(t, {}, clock);
  const { id, heartbeat } = await aHeartbeat(api, every(600));
  await ping(heartbeat.url);
  await becomes(api, id, 'up');
  const window = { isNow: true, untilMs: null, endedAtMs: null as number | null };
  await keepEvents(database.db);
  const judging = new HeartbeatJudging({ maintenance: async () => new Map([[id, window]]) });
  const judgeAt = (nowMs: number) =>
    database.db.transaction(async (trx) => {
      const ids = await claimDue(trx, new Date(nowMs), 10);
      await judging.judge(trx, ids, nowMs);
      return ids.length;
    });
  const startMs = clock.now();
  t.equal(await judgeAt(startMs + HOUR_MS), 1);
  t.match(await read(api, id), { current_status: 'down' });
  t.equal((await eventsOf(api, id)).length, 0);
  t.equal(await judgeAt(startMs + HOUR_MS), 0, 'not again at once');
  Object.assign(window, { isNow: false, endedAtMs: startMs + 2 * HOUR_MS });
  t.equal(await judgeAt(startMs + 2 * HOUR_MS + 1), 1);
  t.match(await eventsOf(api, id), [{ started_at: iso(startMs + 2 * HOUR_MS), ended_at: null }]);
  t.same(await monitorNews(database.db).pluck('kind'), ['monitor.down']);
});
