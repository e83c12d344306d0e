import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t from 'tap';
import { aHeartbeat } from './_support/heartbeats.js';
import { createUserApi, startStack } from './_support/stack.js';

const path = '/v1/alert-silences';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const clock = new FakeClock(Math.floor(Date.now() / 1_000) * 1_000);
const { controlPlane, database } = await startStack(t, {}, clock);
const { db } = database;
let owners = 0;

/** An account, at an instant of its own. */
async function anOwner() {
  const nowMs = clock.now();
  const api = await createUserApi(controlPlane, `owner${owners++}@test.example`, 'user');
  const data = async (method: string, url: string, body?: object) => {
    const answer = await api.call(method, url, body === undefined ? {} : { body });
    if (answer.status > 201) throw new Error(`${method} ${url}: ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  };
  /** Instant some hours from the beginning of the test. */
  const at = (hours: number) => new Date(nowMs + hours * HOUR_MS).toISOString();
  return {
    api,
    data,
    at,
    moveTo: (hours: number) => clock.setWall(nowMs + hours * HOUR_MS),
    make: (fields: object) => data('POST', path, { reason: 'Work', ...fields }),
  };
}

const refusal = (status: number, code: string, field: string, fieldCode: string) => ({
  status,
  body: { error: { code, details: { [field]: [{ code: fieldCode }] } } },
});

t.test('a silence is for one monitor, for groups, tags or all, from now or later', async (t) => {
  const { api, data, at, make } = await anOwner();
  const monitor = await aHeartbeat(api);
  const group = await data('POST', '/v1/monitor-groups', { name: 'Shops' });
  const one = await make({ monitor_id: monitor.id, duration_sec: 7_200 });
  t.match(one, { id: /^asl_/, user_id: api.userId, created_by: api.userId, monitor_id: monitor.id, status: 'active' });
  t.match(one, { scope_type: 'monitor', scope_ids: [monitor.id], severities: [], starts_at: at(0), ends_at: at(2) });
  const all = await make({ monitor_id: null, starts_at: at(1), ends_at: at(3), severities: ['info'] });
  t.match(all, { scope_type: 'all', scope_ids: [], monitor_id: null, status: 'upcoming', severities: ['info'] });
  t.match(await make({ scope_type: 'all', scope_ids: [], duration_sec: 1 }), { scope_type: 'all' });
  t.match(await make({ scope_type: 'group', scope_ids: [group.id, group.id], duration_sec: 60 }), {
    scope_ids: [group.id],
    monitor_id: null,
  });
  const tags = await make({ scope_type: 'tag', scope_ids: [' Web', 'eu', 'web'], duration_sec: 60 });
  t.strictSame(tags.scope_ids, ['eu', 'web']);
  t.strictSame(await data('GET', `${path}/${one.id}`), one);
  const reasons = await data('GET', `${path}?status=upcoming`);
  t.strictSame(
    reasons.items.map(({ id }: { id: string }) => id),
    [all.id],
  );
});

t.test('an invalid silence is refused with the field and the reason', async (t) => {
  const { api, at } = await anOwner();
  const monitor = await aHeartbeat(api);
  const hour = { duration_sec: 3_600 };
  const cases: readonly (readonly [object, string, string])[] = [
    [{}, 'ends_at', 'required'],
    [{ ends_at: at(2), ...hour }, 'duration_sec', 'conflict'],
    [{ starts_at: at(2), ends_at: at(1) }, 'ends_at', 'range'],
    [{ starts_at: at(2), ends_at: at(2) }, 'ends_at', 'range'],
    [{ starts_at: at(-2), ends_at: at(-1) }, 'ends_at', 'range'],
    [{ starts_at: at(-2), ...hour }, 'duration_sec', 'range'],
    [{ ends_at: at(365 * 24 + 1) }, 'ends_at', 'range'],
    [{ duration_sec: 365 * 86_400 + 1 }, 'duration_sec', 'range'],
    [{ starts_at: at(-24), ends_at: at(364 * 24 + 1) }, 'ends_at', 'range'],
    [{ starts_at: at(-24), duration_sec: 365 * 86_400 + 1 }, 'duration_sec', 'range'],
    [{ starts_at: at(365 * 24), duration_sec: 3 * 86_400 }, 'duration_sec', 'range'],
    [{ ends_at: '2026-12-31T23:59:60Z' }, 'ends_at', 'format'],
    [{ ends_at: 'tomorrow' }, 'ends_at', 'format'],
    [{ ...hour, reason: ' ' }, 'reason', 'format'],
    [{ ...hour, reason: 'x'.repeat(501) }, 'reason', 'length'],
    [{ ...hour, monitor_id: 'm_1' }, 'monitor_id', 'not_found'],
    [{ ...hour, monitor_id: monitor.id, scope_type: 'all' }, 'monitor_id', 'conflict'],
    [{ ...hour, scope_type: 'monitor', scope_ids: [monitor.id, 'm_1'] }, 'scope_ids.1', 'not_found'],
    [{ ...hour, scope_type: 'group', scope_ids: ['mgr_1'] }, 'scope_ids.0', 'not_found'],
    [{ ...hour, scope_type: 'tag' }, 'scope_ids', 'required'],
    [{ ...hour, scope_type: 'tag', scope_ids: [] }, 'scope_ids', 'length'],
    [{ ...hour, scope_type: 'all', scope_ids: ['eu'] }, 'scope_ids', 'conflict'],
    [{ ...hour, scope_ids: ['eu'] }, 'scope_type', 'required'],
    [{ ...hour, severities: ['fatal'] }, 'severities.0', 'enum'],
  ];
  for (const [fields, field, code] of cases) {
    const answer = await api.call('POST', path, { body: { reason: 'Work', ...fields } });
    t.match(answer, refusal(400, 'VALIDATION_FAILED', field, code), `${JSON.stringify([fields, answer.body.error])}`);
  }
});

t.test(
  'a silence can be changed until it has expired, its start only until it has begun, and ends when it is deleted',
  async (t) => {
    const { api, data, at, moveTo, make } = await anOwner();
    const patch = (id: string, body: object) => api.call('PATCH', `${path}/${id}`, { body });
    const { id } = await make({ starts_at: at(2), ends_at: at(6) });
    t.match((await patch(id, { reason: 'More', starts_at: at(1), ends_at: at(5) })).body.data, {
      reason: 'More',
      starts_at: at(1),
      ends_at: at(5),
      status: 'upcoming',
    });
    t.match(await patch(id, { starts_at: at(5) }), refusal(400, 'VALIDATION_FAILED', 'starts_at', 'range'));
    moveTo(3);
    t.match(await patch(id, { ends_at: at(4) }), { body: { data: { status: 'active', ends_at: at(4) } } });
    t.match(await patch(id, { starts_at: at(2) }), refusal(409, 'CONFLICT', 'starts_at', 'conflict'));
    t.match(await patch(id, { ends_at: at(2) }), refusal(400, 'VALIDATION_FAILED', 'ends_at', 'range'));
    t.match(await patch(id, { scope_type: 'all' }), refusal(400, 'VALIDATION_FAILED', 'scope_type', 'unknown'));
    moveTo(3.5);
    await data('DELETE', `${path}/${id}`);
    const ended = await data('GET', `${path}/${id}`);
    t.match(ended, { status: 'expired', ends_at: at(3.5) });
    t.match(await patch(id, { reason: 'Late' }), refusal(409, 'CONFLICT', 'id', 'conflict'));
    moveTo(4);
    await data('DELETE', `${path}/${id}`);
    t.strictSame(await data('GET', `${path}/${id}`), ended, 'it stays as it is');
    const upcoming = await make({ starts_at: at(5), ends_at: at(6) });
    await data('DELETE', `${path}/${upcoming.id}`);
    const missing = { status: 404, body: { error: { code: 'ALERT_NOISE_RULE_NOT_FOUND' } } };
    t.match(await api.call('GET', `${path}/${upcoming.id}`), missing);
    t.match(await patch(upcoming.id, { reason: 'Gone' }), missing);
    t.match(await api.call('DELETE', `${path}/${upcoming.id}`), missing);
    const acts = (subject: string) => db('audit_log').where({ subject }).orderBy('id').pluck('action');
    t.same((await acts(id)).sort(), [
      'alert_silence.changed',
      'alert_silence.changed',
      'alert_silence.created',
      'alert_silence.ended',
    ]);
    t.same((await acts(upcoming.id)).sort(), ['alert_silence.created', 'alert_silence.deleted']);
  },
);

t.test('an account has at most 500 current and future silences, and expired ones are listed for 90 days', async (t) => {
  const { api, at, make } = await anOwner();
  const first = await make({ duration_sec: 3_600 });
  const [row] = await db('alert_silences').where({ id: first.id });
  const copies = (count: number, changes: object) =>
    Array.from({ length: count }, () => ({ ...row, id: newId(idPrefixes.alertSilence), ...changes }));
  const ended = (daysAgo: number) => ({
    starts_at: new Date(clock.now() - 200 * DAY_MS),
    ends_at: new Date(clock.now() - daysAgo * DAY_MS),
  });
  await db('alert_silences').insert([...copies(498, {}), ...copies(3, ended(89)), ...copies(2, ended(91))]);
  await make({ starts_at: at(1), ends_at: at(2) });
  const capped = await api.call('POST', path, { body: { reason: 'More', duration_sec: 60 } });
  t.match(capped, refusal(422, 'VALIDATION_FAILED', 'alert_silences', 'refused'));
  t.equal((await api.call('GET', `${path}?status=expired`)).body.meta.pagination.total, 5);
  const { deleteSilencesEndedBefore } = await import('../src/modules/alerts/silences/silence-store.js');
  await deleteSilencesEndedBefore(db, new Date(clock.now() - 90 * DAY_MS));
  t.equal((await api.call('GET', `${path}?status=expired`)).body.meta.pagination.total, 3);
  t.equal((await api.call('GET', path)).body.meta.pagination.total, 503);
});
