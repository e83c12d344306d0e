import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { program } from '../src/audit-log/actor.js';
import { JudgedMonitor, startJudging } from './_support/judged-monitor.js';
import { asUser } from './_support/owners.js';
import { createUserApi, type TestApi } from './_support/stack.js';

async function data(api: TestApi, method: string, url: string, body?: object) {
  const answer = await api.call(method, url, body === undefined ? {} : { body });
  if (answer.status > 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data;
}

const stack = await startJudging(t);
const { api, db, controlPlane } = stack;

/** A monitor that its node reports as down, and its event. */
async function startDown(t: Test) {
  const one = await JudgedMonitor.create(t, stack);
  await one.says('failed');
  const [event] = await one.events();
  const act = (verb: string, body?: object) => data(api, 'POST', `/v1/monitor-events/${event.id}/${verb}`, body);
  return { one, id: one.id, event, act };
}

t.test('an event is acknowledged once', async (t) => {
  const { event, act } = await startDown(t);
  const acknowledged = await act('ack');
  t.match(acknowledged, { id: event.id, ended_at: null, ack_at: String, acknowledged_by: api.userId });
  t.strictSame(await act('ack'), acknowledged);
  t.strictSame(await data(api, 'GET', `/v1/monitor-events/${event.id}`), acknowledged);
  t.same(await db('audit_log').where({ subject: event.id }).pluck('action'), ['monitor_event.acknowledged']);
});

t.test('a manual resolution lasts until the monitor is up, and no event opens before', async (t) => {
  const { one, id, event, act } = await startDown(t);
  const resolved = await act('resolve');
  t.match(resolved, { ended_at: null, duration_sec: null, resolved_at: String, resolved_by: api.userId });
  t.strictSame(await act('resolve'), resolved, 'repeating it has no effect');
  for (const outcome of ['failed', 'degraded', 'failed'] as const) await one.says(outcome);
  t.match(await one.events(), [{ id: event.id, type: 'down', ended_at: null, resolved_at: resolved.resolved_at }]);
  t.equal((await data(api, 'GET', `/v1/monitors/${id}`)).current_status, 'down');
  await one.says('ok');
  const [ended] = await one.events();
  t.match(ended, { id: event.id, ended_at: String, duration_sec: Number, resolved_by: api.userId });
  await one.says('failed');
  t.match(await one.events(), [{ type: 'down', ended_at: null, resolved_by: null, resolved_at: null }, ended]);
  const kinds = await one.publishedEvents().pluck('kind');
  t.same(kinds, ['monitor.down', 'monitor.resolved', 'monitor.up', 'monitor.down']);
  const acts = await db('audit_log').where({ subject: event.id }).pluck('action');
  t.same(acts, ['monitor_event.resolved']);
});

t.test('resuming a monitor forgets an earlier manual resolution', async (t) => {
  const { one, id, act } = await startDown(t);
  await act('resolve');
  const before = one.node.assignments.get(id)?.generation;
  for (const verb of ['pause', 'resume']) await data(api, 'POST', `/v1/monitors/${id}/${verb}`);
  await one.node.waitForAssignment(id, before);
  await one.says('failed');
  t.equal((await one.events()).length, 2);
});

t.test('neither resolving nor acknowledging an event turns an outage into uptime', async (t) => {
  const { one, id, act } = await startDown(t);
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  await one.rows('monitor_events').update({ started_at: hoursAgo(2) });
  await one.rows('monitor_states').update({ first_check_at: hoursAgo(4) });
  await act('ack');
  await act('resolve');
  await one.rows('monitor_events').update({ resolved_at: hoursAgo(1.5) });
  const downtime = async () => (await data(api, 'GET', `/v1/monitors/${id}/uptime`)).downtime_sec;
  t.ok((await downtime()) >= 7_199, 'the outage continues');
  for (const outcome of ['degraded', 'failed', 'ok'] as const) await one.says(outcome);
  t.ok((await downtime()) >= 7_199, 'to the end of the outage');
});

t.test('a paused monitor has no open event, even if it was resolved by hand', async (t) => {
  const { one, id, act } = await startDown(t);
  await act('resolve');
  await data(api, 'POST', `/v1/monitors/${id}/pause`);
  t.match(await one.events(), [{ ended_at: String, resolved_at: String }]);
});

t.test('a resolution concurrent with judgments is never lost, and leaves at most one open event', async (t) => {
  const { one, act } = await startDown(t);
  const flapping = (async () => {
    for (let count = 0; count < 5; count += 1) for (const outcome of ['ok', 'failed'] as const) await one.says(outcome);
  })();
  await Promise.all([flapping, ...Array.from({ length: 10 }, () => act('resolve'))]);
  const all = await one.events();
  t.equal(all.filter(({ ended_at }: { ended_at: string | null }) => ended_at === null).length, 1);
  const opened = await one.publishedEvents().where({ kind: 'monitor.down' });
  t.equal(opened.length, all.length);
  const closed = await one.publishedEvents().where({ kind: 'monitor.up' });
  t.equal(closed.length, all.length - 1);
  const resolved = await one.publishedEvents().where({ kind: 'monitor.resolved' });
  t.equal(resolved.length, 1, 'the first event was resolved, by one of ten requests');
});

t.test('a judgment made before a resolution does not count after it', async (t) => {
  const { one, id, act } = await startDown(t);
  const isWaiting = async () => {
    const { rows } = await db.raw(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
       AND query LIKE 'SELECT FROM monitor_states%'`,
    );
    return rows.length > 0;
  };
  const holding = await db.transaction();
  await holding.raw('SELECT FROM monitor_states WHERE monitor_id = ? FOR UPDATE', [id]);
  const resolved = act('resolve');
  await until('the resolve to wait', isWaiting);
  one.node.check(id, 'degraded');
  await until(
    'it to be postponed',
    async () => (await one.rows('monitor_due').where('due_at', '>', db.fn.now())).length > 0,
  );
  await holding.rollback();
  t.match(await resolved, { resolved_at: String });
  await one.becomes('degraded');
  t.equal((await one.events()).length, 1);
});

t.test('a false positive counts in no uptime, until the mark is removed', async (t) => {
  const { one, id, event, act } = await startDown(t);
  // an hour of it up, the other down: of no time at all there is no uptime
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  await one.rows('monitor_states').update({ first_check_at: hoursAgo(2) });
  await one.rows('monitor_events').update({ started_at: hoursAgo(1) });
  const uptime = async () => (await data(api, 'GET', `/v1/monitors/${id}`)).uptime_percent;
  const before = await uptime();
  t.ok(before < 100, `${before}`);
  t.match(await act('false-positive', { is_false_positive: true }), { is_false_positive: true });
  t.equal(await uptime(), 100);
  await act('false-positive', { is_false_positive: true });
  t.match(await act('false-positive', { is_false_positive: false }), { is_false_positive: false });
  t.ok((await uptime()) < 100);
  const acts = await db('audit_log').where({ subject: event.id }).orderBy('id').pluck('details');
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
  const { event } = await startDown(t);
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
