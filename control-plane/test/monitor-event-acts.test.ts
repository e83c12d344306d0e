import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import t, { type Test } from 'tap';
import { program } from '../src/audit-log/actor.js';
import { CheckingNode } from './_support/checking-node.js';
import { keepEvents, monitorNews } from './_support/kept-events.js';
import { asUser } from './_support/owners.js';
import { createUserApi, startStack, type TestApi } from './_support/stack.js';

async function data(api: TestApi, method: string, url: string, body?: object) {
  const answer = await api.call(method, url, body === undefined ? {} : { body });
  if (answer.status > 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data;
}

/** A monitor that one node reports as down, and its event. */
async function startDown(t: Test) {
  const stack = await startStack(t, {}, systemClock);
  await keepEvents(stack.database.db);
  const { api } = stack;
  const node = await CheckingNode.join(t, api);
  const body = { name: 'Shop', type: 'tcp', target: '127.0.0.1:9', interval_s: 60 };
  const { id } = await data(api, 'POST', '/v1/monitors', body);
  await node.waitForAssignment(id);
  const says = async (outcome: 'ok' | 'degraded' | 'failed') => {
    node.check(id, outcome);
    const expected = { ok: 'up', degraded: 'degraded', failed: 'down' }[outcome];
    await until(`it to be ${expected}`, async () => {
      return (await data(api, 'GET', `/v1/monitors/${id}`)).current_status === expected;
    });
  };
  const events = async () => (await data(api, 'GET', `/v1/monitors/${id}/events`)).items;
  await says('failed');
  const [event] = await events();
  const act = (verb: string, body?: object) => data(api, 'POST', `/v1/monitor-events/${event.id}/${verb}`, body);
  return { ...stack, id, node, event, says, events, act };
}

t.test('an event is acknowledged once', async (t) => {
  const { api, database, event, act } = await startDown(t);
  const acknowledged = await act('ack');
  t.match(acknowledged, { id: event.id, ended_at: null, ack_at: String, acknowledged_by: api.userId });
  t.strictSame(await act('ack'), acknowledged);
  t.strictSame(await data(api, 'GET', `/v1/monitor-events/${event.id}`), acknowledged);
  t.same(await database.db('audit_log').where({ subject: event.id }).pluck('action'), ['monitor_event.acknowledged']);
});

t.test('a manual resolution lasts until the monitor is up, and no event opens before', async (t) => {
  const { api, database, id, event, says, events, act } = await startDown(t);
  const resolved = await act('resolve');
  t.match(resolved, { ended_at: null, duration_sec: null, resolved_at: String, resolved_by: api.userId });
  t.strictSame(await act('resolve'), resolved, 'repeating it has no effect');
  for (const outcome of ['failed', 'degraded', 'failed'] as const) await says(outcome);
  t.match(await events(), [{ id: event.id, type: 'down', ended_at: null, resolved_at: resolved.resolved_at }]);
  t.equal((await data(api, 'GET', `/v1/monitors/${id}`)).current_status, 'down');
  await says('ok');
  const [ended] = await events();
  t.match(ended, { id: event.id, ended_at: String, duration_sec: Number, resolved_by: api.userId });
  await says('failed');
  t.match(await events(), [{ type: 'down', ended_at: null, resolved_by: null, resolved_at: null }, ended]);
  const kinds = await monitorNews(database.db).pluck('kind');
  t.same(kinds, ['monitor.down', 'monitor.resolved', 'monitor.up', 'monitor.down']);
  const acts = await database.db('audit_log').where({ subject: event.id }).pluck('action');
  t.same(acts, ['monitor_event.resolved']);
});

t.test('resuming a monitor forgets an earlier manual resolution', async (t) => {
  const { api, id, node, says, events, act } = await startDown(t);
  await act('resolve');
  const before = node.assignments.get(id)?.generation;
  for (const verb of ['pause', 'resume']) await data(api, 'POST', `/v1/monitors/${id}/${verb}`);
  await node.waitForAssignment(id, before);
  await says('failed');
  t.equal((await events()).length, 2);
});

t.test('neither resolving nor acknowledging an event turns an outage into uptime', async (t) => {
  const { api, database, id, says, act } = await startDown(t);
  const { db } = database;
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  await db('monitor_events').update({ started_at: hoursAgo(2) });
  await db('monitor_states').update({ first_check_at: hoursAgo(4) });
  await act('ack');
  await act('resolve');
  await db('monitor_events').update({ resolved_at: hoursAgo(1.5) });
  const downtime = async () => (await data(api, 'GET', `/v1/monitors/${id}/uptime`)).downtime_sec;
  t.ok((await downtime()) >= 7_199, 'the outage continues');
  for (const outcome of ['degraded', 'failed', 'ok'] as const) await says(outcome);
  t.ok((await downtime()) >= 7_199, 'to the end of the outage');
});

t.test('a paused monitor has no open event, even if it was resolved by hand', async (t) => {
  const { api, id, events, act } = await startDown(t);
  await act('resolve');
  await data(api, 'POST', `/v1/monitors/${id}/pause`);
  t.match(await events(), [{ ended_at: String, resolved_at: String }]);
});

t.test('a resolution concurrent with judgments is never lost, and leaves at most one open event', async (t) => {
  const { database, says, events, act } = await startDown(t);
  const flapping = (async () => {
    for (let count = 0; count < 5; count += 1) for (const outcome of ['ok', 'failed'] as const) await says(outcome);
  })();
  await Promise.all([flapping, ...Array.from({ length: 10 }, () => act('resolve'))]);
  const all = await events();
  t.equal(all.filter(({ ended_at }: { ended_at: string | null }) => ended_at === null).length, 1);
  const opened = await monitorNews(database.db).where({ kind: 'monitor.down' });
  t.equal(opened.length, all.length);
  const closed = await monitorNews(database.db).where({ kind: 'monitor.up' });
  t.equal(closed.length, all.length - 1);
  const resolved = await monitorNews(database.db).where({ kind: 'monitor.resolved' });
  t.equal(resolved.length, 1, 'the first event was resolved, by one of ten requests');
});

t.test('a judgment made before a resolution does not count after it', async (t) => {
  const { api, database, id, node, events, act } = await startDown(t);
  const { db } = database;
  const isWaiting = async () => {
    const { rows } = await db.raw(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
       AND query LIKE 'SELECT FROM monitor_states%'`,
    );
    return rows.length > 0;
  };
  const holding = await db.transaction();
  await holding.raw('SELECT FROM monitor_states FOR UPDATE');
  const resolved = act('resolve');
  await until('the resolve to wait', isWaiting);
  node.check(id, 'degraded');
  await until('it to be postponed', async () => (await db('monitor_due').where('due_at', '>', db.fn.now())).length > 0);
  await holding.rollback();
  t.match(await resolved, { resolved_at: String });
  await until(
    'it to be degraded',
    async () => (await data(api, 'GET', `/v1/monitors/${id}`)).current_status === 'degraded',
  );
  t.equal((await events()).length, 1);
});

t.test('a false positive counts in no uptime, until the mark is removed', async (t) => {
  const { api, id, event, database, act } = await startDown(t);
  const uptime = async () => (await data(api, 'GET', `/v1/monitors/${id}`)).uptime_percent;
  const before = await uptime();
  t.ok(before < 100, `${before}`);
  t.match(await act('false-positive', { is_false_positive: true }), { is_false_positive: true });
  t.equal(await uptime(), 100);
  await act('false-positive', { is_false_positive: true });
  t.match(await act('false-positive', { is_false_positive: false }), { is_false_positive: false });
  t.ok((await uptime()) < 100);
  const acts = await database.db('audit_log').where({ subject: event.id }).orderBy('id').pluck('details');
  t.match(acts, [{ is_false_positive: true }, { is_false_positive: false }]);
  t.equal(acts.length, 2);
});

t.test('notes replace earlier notes, and null removes them', async (t) => {
  const { act } = await startDown(t);
  t.match(await act('notes', { notes: 'A switch\nwas replaced.' }), { notes: 'A switch\nwas replaced.' });
  t.match(await act('notes', { notes: 'é'.repeat(5_000) }), { notes: 'é'.repeat(5_000) });
  t.match(await act('notes', { notes: null }), { notes: null });
});

t.test('invalid input names the field; events of others, and live ones for test keys, do not exist', async (t) => {
  const { api, controlPlane, event } = await startDown(t);
  const call = (verb: string, body?: object, as = api.token) =>
    api.call('POST', `/v1/monitor-events/${event.id}/${verb}`, { as, ...(body === undefined ? {} : { body }) });
  const cases: readonly [string, object, string, string][] = [
    ['false-positive', {}, 'is_false_positive', 'required'],
    ['false-positive', { is_false_positive: 'yes' }, 'is_false_positive', 'type'],
    ['notes', {}, 'notes', 'required'],
    ['notes', { notes: 'x'.repeat(5_001) }, 'notes', 'length'],
    ['notes', { notes: 'a\0' }, 'notes', 'format'],
  ];
  for (const [verb, body, field, code] of cases) {
    const answer = await call(verb, body);
    t.match(
      [answer.status, answer.body.error?.details?.[field]?.[0].code],
      [400, code],
      JSON.stringify(body).slice(0, 40),
    );
  }
  const { key } = await controlPlane.services.tokens.apiKeys.create(
    asUser(api.userId),
    { name: 'test', type: 'test', scopes: ['monitor:write', 'monitor:read'] },
    program,
  );
  const stranger = await createUserApi(controlPlane, 'ada@test.example', 'user');
  for (const as of [key, stranger.token]) {
    for (const [verb, body] of [
      ['ack'],
      ['resolve'],
      ['false-positive', { is_false_positive: true }],
      ['notes', { notes: null }],
    ] as const)
      t.equal((await call(verb, body, as)).body.error.code, 'NOT_FOUND', verb);
  }
  t.match(await data(api, 'GET', `/v1/monitor-events/${event.id}`), event);
});
