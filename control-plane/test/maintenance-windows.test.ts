import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import fc from 'fast-check';
import t from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { coverageOf, maintenanceReads } from '../src/modules/monitors/maintenance/maintenance-reads.js';
import { countMonitorsIn, queueMonitorsIn } from '../src/modules/monitors/maintenance/window-store.js';
import { CheckingNode } from './_support/checking-node.js';
import { createTestDatabase } from './_support/database.js';
import { keepEvents, monitorEvents } from './_support/kept-events.js';
import { lastingLeases } from './_support/lasting-lease.js';
import { asUser, insertUsers } from './_support/owners.js';
import { createUserApi, startReplica, startStack, type TestApi } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

const path = '/v1/maintenance-windows';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const iso = (ms: number) => new Date(ms).toISOString();

async function data(api: TestApi, method: string, url: string, body?: object) {
  const answer = await api.call(method, url, body === undefined ? {} : { body });
  if (answer.status > 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data;
}

/** Rounds that take part in turns of windows, events of monitors and mails about them. */
const rounds = ['maintenance windows', 'judging', 'events', 'alerts', 'alert messages'];

const clock = new FakeClock(Date.now(), { rounds });
const mailDirectory = temporaryDirectory(t);
const { api: administrator, controlPlane, database } = await startStack(t, { VANTAGE_MAIL_DIR: mailDirectory }, clock);
const { db } = database;
await keepEvents(db);
// while the clock stands still no lease is renewed
await lastingLeases(db);
const node = await CheckingNode.join(t, administrator);

/** Runs everything that is due at an instant. */
async function moveTo(ms: number, what: string, condition: () => Promise<boolean>) {
  clock.setWall(ms);
  await until(what, async () => {
    // resolves when no round is under way, so none sees an instant that the test moves to later
    await clock.sweep();
    return condition();
  });
}

let owners = 0;

/** An account, and the actions of a test on it. */
async function anOwner() {
  const email = `owner${owners++}@test.example`;
  const api = await createUserApi(controlPlane, email, 'user');
  const read = (url: string) => data(api, 'GET', url);
  return {
    api,
    read,
    /** Mails that were sent to it, unchanged. */
    mails: () => {
      const files = readdirSync(mailDirectory).filter((file) => file.endsWith('.eml'));
      const texts = files.map((file) => readFileSync(join(mailDirectory, file), 'utf8'));
      return texts.filter((text) => text.includes(`To: ${email}`));
    },
    make: (fields: object) => data(api, 'POST', path, { scope_type: 'all', ...fields }),
    monitor: (fields: object = {}) =>
      data(api, 'POST', '/v1/monitors', {
        name: 'Shop',
        type: 'tcp',
        target: '127.0.0.1:9',
        interval_s: 60,
        ...fields,
      }),
    events: async (id: string) => (await read(`/v1/monitors/${id}/events`)).items,
  };
}

/** A monitor of an account, and a function that sets its status. */
async function watched({ monitor, read }: Awaited<ReturnType<typeof anOwner>>, fields: object = {}) {
  const { id } = await monitor(fields);
  await node.waitForAssignment(id);
  const says = async (outcome: 'ok' | 'degraded' | 'failed', atMs: number) => {
    clock.setWall(atMs);
    node.check(id, { outcome, slot_ms: atMs });
    await node.stored();
    const expected = { ok: 'up', degraded: 'degraded', failed: 'down' }[outcome];
    await moveTo(atMs, `the monitor to be ${expected}`, async () => {
      return (await read(`/v1/monitors/${id}`)).current_status === expected;
    });
  };
  return { id, says, kinds: () => monitorEvents(db).where({ subject: id }).pluck('kind') };
}

t.test('a window is stored as given, with the time zone of its owner', async (t) => {
  const { api, make, read } = await anOwner();
  await data(api, 'PATCH', '/v1/account/profile', { timezone: 'Europe/Berlin' });
  const [starts_at, ends_at] = [iso(clock.now() + HOUR_MS), iso(clock.now() + 2 * HOUR_MS)];
  const made = await make({ starts_at, ends_at, scope_ids: ['dropped'], recurrence_until: '2020-01-01T00:00:00Z' });
  t.match(made, {
    id: /^mmw_/,
    user_id: api.userId,
    title: null,
    scope_type: 'all',
    scope_ids: [],
    starts_at,
    ends_at,
    recurrence: 'none',
    recurrence_until: null,
    timezone: 'Europe/Berlin',
    advance_notice_minutes: 0,
    created_at: String,
  });
  t.strictSame(await read(`${path}/${made.id}`), made);
  clock.advance(1);
  const tagged = await make({
    starts_at,
    ends_at,
    scope_type: 'tag',
    scope_ids: ['B ', 'a', 'b'],
    timezone: 'Asia/Tokyo',
  });
  t.match(tagged, { scope_ids: ['a', 'b'], timezone: 'Asia/Tokyo' });
  const changed = await data(api, 'PATCH', `${path}/${made.id}`, {
    title: ' Switches ',
    recurrence: 'weekly',
    recurrence_until: starts_at,
    advance_notice_minutes: 30,
  });
  t.match(changed, {
    ...made,
    title: 'Switches',
    recurrence: 'weekly',
    recurrence_until: starts_at,
    advance_notice_minutes: 30,
  });
  t.match(await data(api, 'PATCH', `${path}/${made.id}`, { recurrence: 'none' }), { recurrence_until: null });
  t.same(
    (await read(path)).items.map(({ id }: { id: string }) => id),
    [tagged.id, made.id],
    'newest first',
  );
  const page = await api.call('GET', `${path}?page=2&page_size=1`);
  t.match(page.body, { data: { items: [{ id: made.id }] }, meta: { pagination: { total: 2, has_more: false } } });
  t.equal((await api.call('DELETE', `${path}/${made.id}`)).body.data, null);
  t.match(await api.call('GET', `${path}/${made.id}`), { status: 404, body: { error: { code: 'NOT_FOUND' } } });
});

t.test('invalid input names the field and the error', async (t) => {
  const { api, make, monitor } = await anOwner();
  const { api: other } = await anOwner();
  const foreign = await data(other, 'POST', '/v1/monitor-groups', { name: 'Theirs' });
  const { id } = await monitor();
  const at = (hours: number) => iso(clock.now() + hours * HOUR_MS);
  const plain = { scope_type: 'all', starts_at: at(1), ends_at: at(2) };
  const tags = Array.from({ length: 1_900 }, (_, index) => `${index}`.slice(-2));
  const cases: readonly [object, string, string][] = [
    [{ scope_type: 'monitor' }, 'scope_ids', 'required'],
    [{ scope_type: 'tag', scope_ids: [] }, 'scope_ids', 'length'],
    [{ scope_type: 'tag', scope_ids: tags }, 'scope_ids', 'length'],
    [{ scope_type: 'tag', scope_ids: [' '] }, 'scope_ids.0', 'format'],
    [{ scope_type: 'monitor', scope_ids: [id, 'm_1'] }, 'scope_ids.1', 'not_found'],
    [{ scope_type: 'group', scope_ids: [foreign.id] }, 'scope_ids.0', 'not_found'],
    [{ scope_type: 'team' }, 'scope_type', 'enum'],
    [{ ends_at: plain.starts_at }, 'ends_at', 'range'],
    [{ starts_at: 'tomorrow' }, 'starts_at', 'format'],
    [{ starts_at: '2026-12-31T23:59:60Z' }, 'starts_at', 'format'],
    [{ starts_at: '0001-01-01T00:00:00Z' }, 'starts_at', 'range'],
    [{ ends_at: '9999-12-31T00:00:00Z' }, 'ends_at', 'range'],
    [{ recurrence: 'yearly' }, 'recurrence', 'enum'],
    [{ recurrence: 'daily', ends_at: at(25.1) }, 'ends_at', 'range'],
    [{ recurrence: 'weekly', ends_at: at(24 * 7 + 1.1) }, 'ends_at', 'range'],
    [{ recurrence: 'monthly', ends_at: at(24 * 28 + 1.1) }, 'ends_at', 'range'],
    [{ recurrence: 'daily', recurrence_until: at(0.9) }, 'recurrence_until', 'range'],
    [{ timezone: 'Mars/Olympus' }, 'timezone', 'format'],
    [{ timezone: '+02:00' }, 'timezone', 'format'],
    [{ advance_notice_minutes: 10_081 }, 'advance_notice_minutes', 'range'],
    [{ advance_notice_minutes: -1 }, 'advance_notice_minutes', 'range'],
    [{ title: 'x'.repeat(201) }, 'title', 'length'],
    [{ color: 'red' }, 'color', 'unknown'],
  ];
  for (const [fields, field, code] of cases) {
    const { status, body } = await api.call('POST', path, { body: { ...plain, ...fields } });
    const name = `${JSON.stringify(fields).slice(0, 80)} ${JSON.stringify(body.error?.details)}`;
    t.match([status, body.error?.details?.[field]?.[0]?.code], [400, code], name);
  }
  for (const missing of ['scope_type', 'starts_at', 'ends_at']) {
    const { body } = await api.call('POST', path, { body: { ...plain, [missing]: undefined } });
    t.match(body.error.details[missing], [{ code: 'required' }]);
  }
  const many = { ...plain, scope_type: 'tag', scope_ids: Array.from({ length: 10_000 }, (_, index) => `t${index}`) };
  t.match((await api.call('POST', path, { body: many })).body.error, { code: 'REQUEST_BODY_INVALID' });
  const made = await make(plain);
  for (const [fields, field] of [
    [{}, 'body'],
    [{ scope_type: 'tag' }, 'scope_ids'],
    [{ starts_at: plain.ends_at }, 'ends_at'],
  ] as const) {
    const { status, body } = await api.call('PATCH', `${path}/${made.id}`, { body: fields });
    t.match([status, body.error?.details?.[field]], [400, [{ code: String }]], JSON.stringify(fields));
  }
  const table = db('maintenance_windows');
  const { due_at: _, ...row } = await table.clone().where({ id: made.id }).first();
  await table.clone().insert(Array.from({ length: 99 }, (_, index) => ({ ...row, id: `mmw_${index}` })));
  const full = await api.call('POST', path, { body: plain });
  t.match([full.status, full.body.error], [422, { details: { maintenance_windows: [{ code: 'refused' }] } }]);
  await table.clone().where({ owner_id: api.userId }).delete();
});

t.test(
  'no event opens within a window; a monitor still down at its end opens an event that begins there',
  async (t) => {
    const owner = await anOwner();
    const { events, make, read } = owner;
    const { id, says, kinds } = await watched(owner);
    const startMs = clock.now() + 10 * MINUTE_MS;
    const endMs = startMs + 30 * MINUTE_MS;
    await make({ scope_type: 'monitor', scope_ids: [id], starts_at: iso(startMs), ends_at: iso(endMs) });
    await says('ok', startMs - MINUTE_MS);
    t.equal((await read(`/v1/monitors/${id}`)).in_maintenance, false);
    await says('failed', startMs + MINUTE_MS);
    t.match(await read(`/v1/monitors/${id}`), { in_maintenance: true, current_status: 'down', uptime_percent: 100 });
    t.same(await events(id), []);
    clock.setWall(endMs - 30_000);
    node.check(id, {
      outcome: 'failed',
      slot_ms: endMs - 30_000,
      state: { verdict: 'failing', since_ms: startMs + MINUTE_MS, streak: 9 },
    });
    await node.stored();
    await moveTo(endMs, 'the event', async () => (await events(id)).length === 1);
    t.match(await events(id), [{ type: 'down', started_at: iso(endMs), ended_at: null }]);
    t.equal((await read(`/v1/monitors/${id}`)).in_maintenance, false, 'its end is outside');
    const checks = await read(`/v1/monitors/${id}/checks`);
    t.same(
      checks.map((check: { in_maintenance: boolean }) => check.in_maintenance),
      [true, true, false],
    );
    await says('ok', endMs + 10 * MINUTE_MS);
    t.match(await events(id), [{ ended_at: iso(endMs + 10 * MINUTE_MS) }]);
    t.same(await kinds(), ['monitor.down', 'monitor.up']);
  },
);

t.test(
  'a change between down and degraded within a window is not reported as an end, but as a new event afterwards',
  async (t) => {
    const owner = await anOwner();
    const { events, make, mails, read } = owner;
    const { id, says, kinds } = await watched(owner);
    const startMs = clock.now() + 10 * MINUTE_MS;
    const endMs = startMs + 30 * MINUTE_MS;
    await make({ starts_at: iso(startMs), ends_at: iso(endMs) });
    await says('ok', startMs - 9 * MINUTE_MS);
    await says('failed', startMs - MINUTE_MS);
    const [{ id: eventId }] = await events(id);
    await moveTo(clock.now(), 'the mail', async () => mails().length === 1);
    await says('degraded', startMs + MINUTE_MS);
    t.match(await events(id), [
      { id: eventId, type: 'degraded', started_at: iso(startMs - MINUTE_MS), ended_at: null },
    ]);
    t.same(await kinds(), ['monitor.down']);
    await says('failed', startMs + 2 * MINUTE_MS);
    await says('degraded', startMs + 3 * MINUTE_MS);
    clock.setWall(endMs - 30_000);
    const state = { verdict: 'degraded', since_ms: startMs + 3 * MINUTE_MS, streak: 9 } as const;
    node.check(id, { outcome: 'degraded', slot_ms: endMs - 30_000, state });
    await node.stored();
    await moveTo(endMs, 'the new event', async () => (await kinds()).length === 2);
    t.same(await kinds(), ['monitor.down', 'monitor.degraded']);
    t.match(await events(id), [{ id: eventId, type: 'degraded', ended_at: null }]);
    await says('ok', endMs + 10 * MINUTE_MS);
    t.same(await kinds(), ['monitor.down', 'monitor.degraded', 'monitor.up']);
    t.match(await events(id), [{ id: eventId, type: 'degraded', ended_at: iso(endMs + 10 * MINUTE_MS) }]);
    // an alert that turns from down to degraded is not notified: both mails are about one alert
    await moveTo(clock.now(), 'the mails', async () => mails().length === 2);
    const uptime = await read(`/v1/monitors/${id}/uptime`);
    t.equal(uptime.downtime_sec, 60, 'the minute before the window stays an outage');
  },
);

t.test(
  'an event that is open when a window begins outlasts it; there are no events where both ends are the same',
  async (t) => {
    const owner = await anOwner();
    const { events, make } = owner;
    const { id, says, kinds } = await watched(owner);
    const startMs = clock.now() + 10 * MINUTE_MS;
    const endMs = startMs + 30 * MINUTE_MS;
    const window = await make({ starts_at: iso(startMs), ends_at: iso(endMs) });
    await says('failed', startMs - MINUTE_MS);
    await says('failed', endMs - 30_000);
    const turned = () => db('maintenance_windows').where({ id: window.id }).whereNull('next_turn_at');
    await moveTo(endMs + 1_000, 'the end to be noticed', async () => (await turned()).length === 1);
    await moveTo(endMs + 1_000, 'the judgments', async () => (await db('monitor_due')).length === 0);
    t.match(await events(id), [{ started_at: iso(startMs - MINUTE_MS), ended_at: null }]);
    t.equal((await events(id)).length, 1);
    t.same(await kinds(), ['monitor.down']);
  },
);

t.test('a created, changed or deleted window applies at once, and so does a monitor added to it', async (t) => {
  const owner = await anOwner();
  const { api, events, make, read } = owner;
  const { id, says } = await watched(owner, { tags: ['other'] });
  const nowMs = clock.now();
  const [starts_at, ends_at] = [iso(nowMs - 5 * MINUTE_MS), iso(nowMs + HOUR_MS)];
  const window = await make({ scope_type: 'tag', scope_ids: ['Blue'], starts_at, ends_at });
  const isIn = async () => (await read(`/v1/monitors/${id}`)).in_maintenance;
  t.equal(await isIn(), false);
  await data(api, 'PATCH', `/v1/monitors/${id}`, { tags: ['BLUE'] });
  t.equal(await isIn(), true);
  await says('failed', nowMs);
  t.same(await events(id), []);
  await data(api, 'PATCH', `${path}/${window.id}`, { ends_at: iso(nowMs - MINUTE_MS) });
  await moveTo(nowMs, 'an event', async () => (await events(id)).length === 1);
  t.equal(await isIn(), false);
  await says('ok', nowMs + MINUTE_MS);
  await data(api, 'PATCH', `${path}/${window.id}`, { ends_at });
  await says('failed', nowMs + 2 * MINUTE_MS);
  t.equal((await events(id)).length, 1);
  await data(api, 'PATCH', `/v1/monitors/${id}`, { tags: ['green'] });
  await moveTo(nowMs + 2 * MINUTE_MS, 'an event', async () => (await events(id)).length === 2);
  await says('ok', nowMs + 3 * MINUTE_MS);
  await data(api, 'PATCH', `/v1/monitors/${id}`, { tags: ['blue'] });
  await says('failed', nowMs + 4 * MINUTE_MS);
  t.equal((await events(id)).length, 2);
  await data(api, 'DELETE', `${path}/${window.id}`);
  await moveTo(nowMs + 4 * MINUTE_MS, 'an event', async () => (await events(id)).length === 3);
});

t.test('uptime excludes windows, including those created afterwards', async (t) => {
  const owner = await anOwner();
  const { make, read } = owner;
  const { id, says } = await watched(owner);
  const nowMs = clock.now();
  await says('ok', nowMs);
  await says('failed', nowMs + 60 * MINUTE_MS);
  await says('ok', nowMs + 90 * MINUTE_MS);
  clock.setWall(nowMs + 120 * MINUTE_MS);
  const uptime = async () => (await read(`/v1/monitors/${id}`)).uptime_percent;
  t.equal(await uptime(), 75, '30 of 120 minutes');
  await make({ starts_at: iso(nowMs + 60 * MINUTE_MS), ends_at: iso(nowMs + 80 * MINUTE_MS) });
  t.equal(await uptime(), 90, '10 of 100 minutes');
  await make({ starts_at: iso(nowMs + 70 * MINUTE_MS), ends_at: iso(nowMs + 90 * MINUTE_MS) });
  t.equal(await uptime(), 100);
});

t.test(
  'a turn is noticed and reported by one of two replicas; a third that died while handling it delays no one',
  async (t) => {
    const owner = await anOwner();
    const { api, events, make, mails } = owner;
    const second = new FakeClock(clock.now(), { rounds });
    await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: api.url, VANTAGE_MAIL_DIR: mailDirectory }, second);
    const { id, says, kinds } = await watched(owner);
    const startMs = clock.now() + HOUR_MS;
    const endMs = startMs + 10 * MINUTE_MS;
    await make({ title: 'Switches', starts_at: iso(startMs), ends_at: iso(endMs), advance_notice_minutes: 30 });
    await db.raw(`
      CREATE TABLE noticed (at timestamptz);
      CREATE FUNCTION note_work() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO noticed VALUES (now()); RETURN NEW;
      END $$;
      CREATE TRIGGER note_work AFTER UPDATE ON maintenance_windows FOR EACH ROW
        WHEN (NEW.owner_id = '${api.userId}') EXECUTE FUNCTION note_work()`);
    const both = (ms: number, what: string, condition: () => Promise<boolean>) => {
      second.setWall(ms);
      return moveTo(ms, what, async () => {
        await second.sweep();
        return condition();
      });
    };
    /** Makes everything due at an instant the task of a replica that dies. */
    const dies = async (ms: number) => {
      const dying = await db.transaction();
      await dying.raw('SELECT FROM maintenance_windows FOR UPDATE');
      const before = (await db('noticed')).length;
      let looks = 0;
      await both(ms, 'some looks', async () => ++looks === 3);
      t.equal((await db('noticed')).length, before);
      await dying.rollback();
    };
    await dies(startMs - 30 * MINUTE_MS);
    await both(startMs - 30 * MINUTE_MS, 'the mail', async () => mails().length > 0);
    t.match(mails()[0], /Subject: Upcoming maintenance: Switches/);
    await both(startMs, 'the beginning', async () => (await db('noticed')).length > 1);
    await says('failed', endMs - 30_000);
    await dies(endMs);
    await both(endMs, 'the event', async () => (await events(id)).length === 1);
    t.match(await events(id), [{ started_at: iso(endMs) }]);
    t.equal((await db('noticed')).length, 3, 'a notice, a beginning and an end');
    t.equal(mails().filter((mail) => mail.includes('Subject: Upcoming maintenance')).length, 1);
    t.same(await kinds(), ['monitor.down']);
  },
);

t.test('notices precede each occurrence, once, except for windows that test keys created', async (t) => {
  const { api, make, mails } = await anOwner();
  const startMs = clock.now() + 2 * HOUR_MS;
  const daily = {
    starts_at: iso(startMs),
    ends_at: iso(startMs + HOUR_MS),
    recurrence: 'daily',
    advance_notice_minutes: 60,
  };
  const window = await make(daily);
  const { key } = await controlPlane.services.tokens.apiKeys.create(
    asUser(api.userId),
    { name: 'test', type: 'test', scopes: ['write', 'read'] },
    commandLine,
  );
  t.equal((await api.call('POST', path, { body: { scope_type: 'all', ...daily }, as: key })).status, 201);
  const announced = async () => {
    const rows = await db('maintenance_windows').where({ owner_id: api.userId }).whereNotNull('announced_at');
    return rows.map(({ announced_at }) => announced_at.getTime());
  };
  // the second notice is that of the first change: nine minutes before
  for (const [day, minutesBefore] of [30, 9].entries()) {
    const beginMs = startMs + day * 24 * HOUR_MS;
    const hasAnnounced = async () => {
      const all = await announced();
      return all.length === 2 && all.every((atMs) => atMs === beginMs);
    };
    await moveTo(beginMs - minutesBefore * MINUTE_MS, `notice ${day}`, hasAnnounced);
    await until(`mail ${day}`, () => mails().length === day + 1);
    // earlier notices are not repeated
    await data(api, 'PATCH', `${path}/${window.id}`, { title: `day ${day}`, advance_notice_minutes: 9 - day });
  }
  const next = await db('maintenance_windows').where({ id: window.id }).first();
  t.equal(next.next_notice_at.getTime(), startMs + 48 * HOUR_MS - 8 * MINUTE_MS);
});

t.test('a test key sees and silences only monitors that test keys created', async (t) => {
  const { api, make, monitor, read } = await anOwner();
  const grantor = asUser(api.userId);
  const actor = { userId: null, credentialId: null, address: null, requestId: null };
  const { key } = await controlPlane.services.tokens.apiKeys.create(
    grantor,
    { name: 'test', type: 'test', scopes: ['monitor:write', 'monitor:read'] },
    actor,
  );
  const live = await monitor();
  const asTest = (method: string, url: string, body?: object) =>
    api.call(method, url, { as: key, ...(body === undefined ? {} : { body }) });
  const times = { starts_at: iso(clock.now() - MINUTE_MS), ends_at: iso(clock.now() + HOUR_MS) };
  const theirs = await make({ ...times, starts_at: iso(clock.now() + MINUTE_MS) });
  const made = await asTest('POST', path, { scope_type: 'all', ...times });
  t.equal(made.status, 201);
  t.equal((await read(`/v1/monitors/${live.id}`)).in_maintenance, false);
  t.match((await asTest('GET', path)).body.data.items, [{ id: made.body.data.id }]);
  t.equal((await asTest('GET', path)).body.data.items.length, 1);
  for (const method of ['GET', 'PATCH', 'DELETE'])
    t.equal(
      (await asTest(method, `${path}/${theirs.id}`, method === 'PATCH' ? { title: 'x' } : undefined)).status,
      404,
    );
  const scoped = await asTest('POST', path, { scope_type: 'monitor', scope_ids: [live.id], ...times });
  t.match(scoped.body.error.details, { 'scope_ids.0': [{ code: 'not_found' }] });
  const { api: stranger } = await anOwner();
  for (const method of ['GET', 'DELETE']) t.equal((await stranger.call(method, `${path}/${theirs.id}`)).status, 404);
});

t.test('a turn that one replica noticed counts for one whose clock is behind', async (t) => {
  const { make, monitor } = await anOwner();
  const { id } = await monitor();
  const [startMs, endMs] = [clock.now() - MINUTE_MS, clock.now() + MINUTE_MS];
  const window = await make({ starts_at: iso(startMs), ends_at: iso(endMs) });
  const row = await db('monitors').where({ id }).first();
  const standing = async () => (await maintenanceReads.now(db, [row], endMs - 1)).get(id);
  t.same(await standing(), { isNow: true, untilMs: endMs, endedAtMs: null });
  const turned = () => db('maintenance_windows').where({ id: window.id }).whereNotNull('turned_at');
  await moveTo(endMs, 'the end', async () => (await turned()).length === 1);
  t.same(await standing(), { isNow: false, untilMs: null, endedAtMs: endMs });
});

// 22:00 to 23:00 on Sundays by wall clock; clocks change between the two weeks
t.test('a weekly window keeps its wall clock time when the clocks of its zone change', async (t) => {
  const { make, monitor, read } = await anOwner();
  const { id } = await monitor();
  const [startMs, nextMs] = [Date.parse('2027-03-21T21:00:00Z'), Date.parse('2027-03-28T20:00:00Z')];
  const times = { starts_at: iso(startMs), ends_at: iso(startMs + HOUR_MS), recurrence: 'weekly' };
  const window = await make({ scope_type: 'monitor', scope_ids: [id], timezone: 'Europe/Berlin', ...times });
  for (const [atMs, expected] of [
    [startMs - 1, false],
    [startMs, true],
    [startMs + HOUR_MS - 1, true],
    [startMs + HOUR_MS, false],
    [nextMs - 1, false],
    [nextMs, true],
    [nextMs + HOUR_MS - 1, true],
    [nextMs + HOUR_MS, false],
    [startMs + 7 * 24 * HOUR_MS + HOUR_MS, false],
  ] as const) {
    // after it no test may report checks: of such days there are no partitions
    clock.setWall(atMs);
    t.equal((await read(`/v1/monitors/${id}`)).in_maintenance, expected, iso(atMs));
  }
  await moveTo(startMs + 2 * HOUR_MS, 'the next beginning', async () => {
    const { next_turn_at } = await db('maintenance_windows').where({ id: window.id }).first();
    return next_turn_at.getTime() === nextMs;
  });
});

t.test('the monitors judged at a turn are those in the window', async (t) => {
  const { db } = await createTestDatabase(t);
  const userIds = ['u_1', 'u_2'];
  await insertUsers(
    db,
    userIds.map((id) => ({ id, role: 'user', plan: 'free', email: `${id}@test.example` })),
  );
  const groupsOf: Readonly<Record<string, string>> = { u_1: 'mgr_1', u_2: 'mgr_2' };
  const groupIds = Object.values(groupsOf);
  await db('monitor_groups').insert(
    userIds.map((id) => ({ id: groupsOf[id], owner_id: id, created_by: id, name: id })),
  );
  const tags = fc.subarray(['blue', 'green', 'red']);
  const monitors = fc.sample(
    fc.record({
      owner_id: fc.constantFrom(...userIds),
      is_test: fc.boolean(),
      isGrouped: fc.boolean(),
      tags,
    }),
    { numRuns: 60, seed: 1 },
  );
  const known = monitors.map(({ isGrouped, ...monitor }, index) => {
    const group_id = isGrouped ? (groupsOf[monitor.owner_id] ?? null) : null;
    return { id: `m_${index}`, ...monitor, created_by: monitor.owner_id, group_id };
  });
  const plain = { type: 'tcp', target: 'x:1', interval_s: 60, config: '{}', node_selection: '{}', node_count: 1 };
  const rule = { consecutive_fail: 1, consecutive_ok: 1, fail_node_quorum: 'any' };
  await db('monitors').insert(known.map((monitor) => ({ ...monitor, name: monitor.id, ...plain, ...rule })));
  const scopes = fc.oneof(
    fc.record({ scope_type: fc.constant('monitor' as const), scope_ids: fc.subarray(known.map(({ id }) => id)) }),
    fc.record({ scope_type: fc.constant('group' as const), scope_ids: fc.subarray(groupIds) }),
    fc.record({ scope_type: fc.constant('tag' as const), scope_ids: tags }),
    fc.constant({ scope_type: 'all' as const, scope_ids: [] }),
  );
  const windows = fc.sample(fc.tuple(scopes, fc.constantFrom(...userIds), fc.boolean()), { numRuns: 60, seed: 2 });
  const times = { starts_at: new Date(0), ends_at: new Date(1), recurrence: 'none', timezone: 'UTC' };
  for (const [index, [scope, owner_id, is_test]] of windows.entries()) {
    const window = { id: `mmw_${index}`, owner_id, created_by: owner_id, is_test, ...scope };
    await db('maintenance_windows').insert({ ...window, ...times, advance_notice_minutes: 0 });
    await db('monitor_due').delete();
    await queueMonitorsIn(db, window);
    const expected = known.filter(coverageOf(window)).map(({ id }) => id);
    t.same((await db('monitor_due').pluck('monitor_id')).sort(), expected.sort(), JSON.stringify(window));
    t.equal(await countMonitorsIn(db, window), expected.length);
  }
});
