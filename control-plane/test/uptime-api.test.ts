import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { rollups } from '../src/modules/monitors/history/rollups.js';
import { createLogger } from '../src/runtime/log.js';
import { CheckingNode } from './_support/checking-node.js';
import { createUserApi, startStack } from './_support/stack.js';
import { aCheck, insertMonitor, store } from './_support/stored-monitor.js';
import { insertNode } from './_support/stored-node.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 3_600 * SECOND_MS;
const DAY_MS = 24 * HOUR_MS;

const live = await startStack(t);
const node = await CheckingNode.join(t, live.api);
const clock = new FakeClock(Date.now(), { rounds: [] });
const { api, controlPlane, database } = await startStack(t, {}, clock);
const { db } = database;
const ago = (ms: number) => new Date(clock.now() - ms);

/** A monitor of two nodes that was first checked the given number of days ago. */
async function setUp(firstCheckDays = 100) {
  const nodes = [await insertNode(db), await insertNode(db)].sort();
  const monitor = await insertMonitor(db, nodes, { owner_id: api.userId });
  await db('monitor_states')
    .where({ monitor_id: monitor.id })
    .update({ first_check_at: ago(firstCheckDays * DAY_MS) });
  const event = (id: string, fields: object) =>
    db('monitor_events').insert({ id: `${id} ${monitor.id}`, monitor_id: monitor.id, type: 'down', ...fields });
  const uptime = async (query = '') => (await api.call('GET', `/v1/monitors/${monitor.id}/uptime${query}`)).body;
  return { nodes, monitor, event, uptime };
}

t.test('uptime is the share of the watched time without an outage, in every window', async (t) => {
  const { monitor, event, uptime } = await setUp(20);
  await event('open', { started_at: ago(6 * HOUR_MS) });
  await event('old', { started_at: ago(10 * DAY_MS), ended_at: ago(9 * DAY_MS) });
  await event('false', { started_at: ago(5 * DAY_MS), ended_at: ago(4 * DAY_MS), is_false_positive: true });
  await event('lesser', { started_at: ago(3 * DAY_MS), ended_at: ago(2 * DAY_MS), type: 'degraded' });
  await db('monitor_pauses').insert({ monitor_id: monitor.id, from_at: ago(15 * DAY_MS), to_at: ago(13 * DAY_MS) });
  const { data } = await uptime();
  t.match(data, {
    monitor_id: monitor.id,
    from: ago(30 * DAY_MS).toISOString(),
    to: ago(0).toISOString(),
    watched_sec: 18 * 86_400,
    downtime_sec: 30 * 3_600,
    events: 2,
  });
  // three decimals, rounded down: 100 means no outage
  const percent = (downDays: number, days: number) => Math.floor(1e3 * (100 * (1 - downDays / days)));
  t.strictSame(
    data.windows.map((one: { window: string; uptime_percent: number; events: number; downtime_sec: number }) => [
      one.window,
      Math.round(1e3 * one.uptime_percent),
      one.downtime_sec,
      one.events,
    ]),
    [
      ['24h', percent(0.25, 1), 6 * 3_600, 1],
      ['7d', percent(0.25, 7), 6 * 3_600, 1],
      ['30d', percent(1.25, 18), 30 * 3_600, 2],
      ['90d', percent(1.25, 18), 30 * 3_600, 2],
    ],
  );
});

t.test(
  'bars of several monitors have the time of each state and the mean response in cells, of own monitors alone',
  async (t) => {
    const { monitor, event, nodes } = await setUp(20);
    const { monitor: other } = await setUp(0);
    const changed = [{ type: 'down', until: ago(2 * DAY_MS).toISOString() }];
    await event('open', { started_at: ago(6 * HOUR_MS) });
    await event('lesser', {
      type: 'degraded',
      started_at: ago(3 * DAY_MS),
      ended_at: ago(DAY_MS),
      earlier_types: JSON.stringify(changed),
    });
    await store(db, [aCheck(monitor.id, nodes[0] ?? '', { slot_ms: clock.now() - 10 * MINUTE_MS, response_ms: 40 })]);
    const stranger = await createUserApi(controlPlane, 'bars@test.example', 'user');
    const ids = `${monitor.id},${other.id},m_none`;
    const { items } = (await api.call('GET', `/v1/monitors/history?window=30d&ids=${ids}`)).body.data;
    t.equal(items.length, 2);
    const bar = items.find(({ monitor_id: id }: { monitor_id: string }) => id === monitor.id);
    t.match(bar, { step_s: 43_200, uptime_percent: Math.floor(1e5 * (1 - 1.25 / 20)) / 1e3 });
    t.strictSame([bar.bar.length, bar.response_ms.length], [60, 60]);
    const total = (state: string) =>
      bar.bar.reduce((sum: number, cell: Record<string, number>) => sum + (cell[state] ?? 0), 0);
    t.strictSame([total('down'), total('degraded'), total('maintenance')], [30 * 3_600, 86_400, 0]);
    t.equal(total('up') + total('down') + total('degraded'), 20 * 86_400, 'from the first check on');
    t.equal(bar.response_ms.at(-1) ?? bar.response_ms.at(-2), 40);
    t.strictSame((await stranger.call('GET', `/v1/monitors/history?ids=${ids}`)).body.data.items, []);
    const many = Array.from({ length: 101 }, (_, index) => `m_${index}`).join();
    t.match((await api.call('GET', `/v1/monitors/history?ids=${many}`)).body.error.details, {
      ids: [{ code: 'range' }],
    });
  },
);

t.test('a list shows the uptime that each of its monitors shows, of few outages and of many', async (t) => {
  await CheckingNode.join(t, api);
  const own = await createUserApi(controlPlane, 'list@test.example', 'admin');
  const ids: string[] = [];
  for (const name of ['few', 'open', 'many', 'none']) {
    const body = { name, type: 'tcp', target: '127.0.0.1:9', interval_s: 1800, node_count: 1 };
    ids.push((await own.call('POST', '/v1/monitors', { body })).body.data.id);
  }
  const [few, open, many] = ids;
  const event = (id: string, fields: object) =>
    db('monitor_events').insert({ id, monitor_id: few, type: 'down', ...fields });
  await event('changed', {
    type: 'degraded',
    started_at: ago(6 * HOUR_MS),
    earlier_types: JSON.stringify([
      { type: 'degraded', until: ago(5 * HOUR_MS).toISOString() },
      { type: 'down', until: ago(4 * HOUR_MS).toISOString() },
    ]),
  });
  await event('before', { started_at: ago(40 * DAY_MS), ended_at: ago(30 * DAY_MS - HOUR_MS) });
  await event('long ago', { started_at: ago(60 * DAY_MS), ended_at: ago(50 * DAY_MS) });
  await event('false', { started_at: ago(3 * DAY_MS), ended_at: ago(2 * DAY_MS), is_false_positive: true });
  await event('disputed', { started_at: ago(5 * DAY_MS), ended_at: ago(4 * DAY_MS), disputed: true });
  await db('monitor_pauses').insert([
    { monitor_id: few, from_at: ago(15 * DAY_MS), to_at: ago(13 * DAY_MS) },
    { monitor_id: few, from_at: ago(HOUR_MS), to_at: null },
  ]);
  await db('monitor_states')
    .whereIn('monitor_id', ids)
    .update({ first_check_at: ago(100 * DAY_MS) });
  await event('open', { monitor_id: open, started_at: ago(10 * DAY_MS) });
  const minutes = Array.from({ length: 101 }, (_, index) => index + 1);
  for (const n of minutes) {
    await event(`minute ${n}`, {
      monitor_id: many,
      started_at: ago(n * HOUR_MS),
      ended_at: ago(n * HOUR_MS - 60_000),
    });
  }
  const { items } = (await own.call('GET', '/v1/monitors')).body.data;
  const percents: Record<string, number> = {};
  for (const { id, name, uptime_percent } of items) {
    percents[name] = uptime_percent;
    const alone = (await own.call('GET', `/v1/monitors/${id}`)).body.data.uptime_percent;
    t.ok(Math.abs(uptime_percent - alone) < 0.002, `${name}: ${uptime_percent}, ${alone} alone`);
  }
  const percent = (downMs: number, watchedMs: number) => 100 * (1 - downMs / watchedMs);
  const expected = {
    few: percent(2 * HOUR_MS, 28 * DAY_MS - HOUR_MS),
    open: percent(10 * DAY_MS, 30 * DAY_MS),
    many: percent(101 * MINUTE_MS, 30 * DAY_MS),
    none: 100,
  };
  // three decimals, rounded down
  for (const [name, value] of Object.entries(expected))
    t.ok(Math.abs((percents[name] as number) - value) < 0.002, name);
  t.equal(items.length, 4);
});

t.test('a requested range applies to the millisecond, and ends now at the latest', async (t) => {
  const { event, uptime } = await setUp();
  await event('short', { started_at: ago(HOUR_MS + 1_500), ended_at: ago(HOUR_MS) });
  const { data } = await uptime('?from=-2h&to=-1h');
  t.match(data, {
    from: ago(2 * HOUR_MS).toISOString(),
    to: ago(HOUR_MS).toISOString(),
    watched_sec: 3_600,
    events: 1,
  });
  t.equal(Math.round(data.uptime_percent * 1e3), Math.floor(1e5 * (1 - 1.5 / 3_600)));
  t.match((await uptime('?from=-30m')).data, { uptime_percent: 100, downtime_sec: 0, events: 0 });
  const later = new Date(clock.now() + DAY_MS).toISOString();
  t.match((await uptime(`?from=-1h&to=${later}`)).data, { to: ago(0).toISOString(), watched_sec: 3_600 });
  t.match((await uptime(`?from=${new Date(clock.now() + HOUR_MS).toISOString()}&to=${later}`)).error, {
    code: 'VALIDATION_FAILED',
    details: { from: [{ code: 'range' }] },
  });
});

t.test('a monitor has no data from before its creation, and no uptime before its first decision', async (t) => {
  const { api, database } = live;
  const body = {
    name: 'New',
    type: 'tcp',
    target: '127.0.0.1:9',
    interval_s: 1800,
    trigger_rule: { consecutive_fail: 2 },
  };
  const { id, created_at: createdAt } = (await api.call('POST', '/v1/monitors', { body })).body.data;
  await node.waitForAssignment(id);
  const createdMs = Date.parse(createdAt);
  const read = async (path = '') => (await api.call('GET', `/v1/monitors/${id}${path}`)).body.data;
  const since = Math.floor(createdMs - 20 * 60_000);
  // clocks of replicas and nodes differ, and no node is trusted
  node.check(id, {
    outcome: 'failed',
    slot_ms: since,
    state: { verdict: 'undecided', since_ms: since, streak: 1 },
    through_ms: Date.now(),
  });
  await until('the check', async () => (await read('/checks')).length === 1);
  await until('the judgment', async () => (await database.db('monitor_due')).length === 0);
  t.match(await read(), { current_status: 'unknown', uptime_percent: null, last_check_at: createdAt });
  t.match(await read('/uptime'), { uptime_percent: null, watched_sec: 0, downtime_sec: 0, events: 0 });
  t.match(await read('/checks'), [{ late: false }]);
  t.ok(Date.parse((await read('/checks'))[0].started_at) >= createdMs);
  const run = { monitor_id: id, generation: node.assignments.get(id)?.generation ?? 0, reason: 'stopped', count: 1 };
  const slot = { first_slot_ms: since, last_slot_ms: since, through_ms: Date.now() };
  node.deliver('missed', { ...run, ...slot });
  await until('the missed slot', async () => (await database.db('missed_slots')).length === 1);
  const { points } = await read('/timeseries?metric=checks&from=-1h&step=1m');
  const first = points.find(({ missed }: { missed: number | null }) => missed !== null);
  t.match(first, { failed: 1, missed: 1 });
  t.ok(Date.parse(first.at) >= createdMs - 60_000);
  const decidedMs = Date.now();
  const state = { verdict: 'failing', since_ms: decidedMs, streak: 2 } as const;
  node.check(id, { outcome: 'failed', slot_ms: decidedMs, state });
  await until('the decision', async () => (await read()).current_status === 'down');
  t.equal((await read()).uptime_percent, 0, 'down since it was watched');
  t.match(await read('/events'), { items: [{ started_at: new Date(decidedMs).toISOString() }] });
});

t.test('the time from a resume to the first decision after it is not watched', async (t) => {
  const { api, database } = live;
  const { db } = database;
  const body = { name: 'Paused', type: 'tcp', target: '127.0.0.1:9', interval_s: 60 };
  const { id } = (await api.call('POST', '/v1/monitors', { body })).body.data;
  await node.waitForAssignment(id);
  const read = async (path = '') => (await api.call('GET', `/v1/monitors/${id}${path}`)).body.data;
  const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS);
  node.check(id, 'ok');
  await until('it to be up', async () => (await read()).current_status === 'up');
  const before = node.assignments.get(id)?.generation;
  await api.call('POST', `/v1/monitors/${id}/pause`);
  await db('monitor_states').update({ first_check_at: ago(3) });
  await db('monitor_pauses').update({ from_at: ago(2) });
  await api.call('POST', `/v1/monitors/${id}/resume`);
  // as of an hour ago
  await db('monitor_pauses')
    .whereNotNull('to_at')
    .update({ to_at: ago(1) });
  await node.waitForAssignment(id, before);
  t.equal(Math.round((await read('/uptime')).watched_sec / 60), 60, 'neither the pause nor undecided time');
  node.check(id, 'failed');
  await until('it to be down', async () => (await read()).current_status === 'down');
  t.equal(Math.round((await read('/uptime')).watched_sec / 60), 60);
  const ends = await db('monitor_pauses').pluck('to_at');
  const [{ started_at: startedAt }] = (await read('/events')).items;
  t.strictSame(ends, [new Date(startedAt)], 'it is watched from the deciding check on');
});

t.test('a monitor that was never watched has no uptime', async (t) => {
  const { monitor, uptime } = await setUp();
  await db('monitor_states').where({ monitor_id: monitor.id }).update({ first_check_at: null });
  const { data } = await uptime();
  t.match(data, { uptime_percent: null, watched_sec: 0, downtime_sec: 0, events: 0, nodes: [] });
  t.match(data.windows, [{ uptime_percent: null }, {}, {}, {}]);
});

t.test('each node has the share of its checks that did not fail, rolled up or not', async (t) => {
  const { monitor, nodes, uptime } = await setUp();
  const [one = '', other = ''] = nodes;
  const startMs = clock.now() - 3 * HOUR_MS;
  // a new database counts as rolled up through the last midnight
  await db('rollup_progress').update({ through: ago(DAY_MS) });
  const checks = Array.from({ length: 12 }, (_, n) => {
    const outcome = n % 4 === 0 ? ('failed' as const) : n % 4 === 1 ? ('degraded' as const) : ('ok' as const);
    return aCheck(monitor.id, one, { slot_ms: startMs + n * 15 * 60_000, outcome });
  });
  await store(db, [...checks, aCheck(monitor.id, other, { slot_ms: startMs })]);
  const expected = [
    { node_id: one, checks: 12, failed: 3, success_percent: 75 },
    { node_id: other, checks: 1, failed: 0, success_percent: 100 },
  ];
  const before = (await uptime('?from=-6h')).data;
  t.strictSame(before.nodes, expected);
  t.strictSame(before.windows[3].nodes, expected);
  await rollups({ db, clock, log: createLogger('silent') }).run();
  t.ok((await db('rollups_15m')).length > 5);
  t.strictSame((await uptime('?from=-6h')).data, before);
});

t.test('a monitor of another account has no uptime and no timeline', async (t) => {
  const { id } = await insertMonitor(db, []);
  for (const path of ['uptime', 'timeseries?metric=checks'])
    t.match(await api.call('GET', `/v1/monitors/${id}/${path}`), {
      status: 404,
      body: { error: { code: 'MONITOR_NOT_FOUND' } },
    });
});
