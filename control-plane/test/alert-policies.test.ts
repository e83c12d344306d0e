import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { defaultPolicy } from '../src/modules/alerts/policies/policy-defaults.js';
import { aHeartbeat } from './_support/heartbeats.js';
import { asUser } from './_support/owners.js';
import { createUserApi, startStack, type TestApi } from './_support/stack.js';

const { controlPlane, database } = await startStack(t);
let owners = 0;
const anOwner = () => createUserApi(controlPlane, `owner${owners++}@test.example`, 'user');

const path = '/v1/alert-policies';
const hook = (name: string) => ({ name, type: 'webhook', use: 'none', config: { url: 'http://127.0.0.1:8080/' } });

/** Data of a response. @throws Error for an error */
async function data(api: TestApi, method: string, url: string, body?: object) {
  const answer = await api.call(method, url, body === undefined ? {} : { body });
  if (answer.status > 201) throw new Error(`${method} ${url}: ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

const channel = (api: TestApi, name: string) => data(api, 'POST', '/v1/alert-channels', hook(name));
const defaultOf = async (api: TestApi) =>
  (await data(api, 'GET', path)).items.find(({ is_default }: { is_default: boolean }) => is_default);
/** Status, code of the error, and code of the error of a field. */
const refusal = (status: number, code: string, field: string, fieldCode: string) => ({
  status,
  body: { error: { code, details: { [field]: [{ code: fieldCode }] } } },
});

const window = { days: ['mon', 'fri'], start: '22:00', end: '06:00', timezone: 'Europe/Berlin' };

t.test('a policy in the full form is stored with all defaults, and read back unchanged', async (t) => {
  const api = await anOwner();
  const [one, two] = [await channel(api, 'One'), await channel(api, 'Two')];
  const monitor = await aHeartbeat(api);
  const made = await data(api, 'POST', path, { name: ' Nights ', rules: [{ channels: [{ channel_id: one.id }] }] });
  const choice = (id: string) => ({ type: 'webhook', channel_id: id, to: null });
  const rule = {
    match: { severity: [], tags_any: [], time_window: null },
    channels: [choice(one.id)],
    delay_sec: 0,
    repeat: { enabled: false, interval_sec: 14_400, max_count: 10 },
  };
  t.match(made, { id: /^ap_/, user_id: api.userId, name: 'Nights', enabled: true, is_default: false });
  t.match(made, { monitor_id: null, channel_ids: null });
  t.strictSame(made.rules, [rule]);
  t.strictSame(made.escalation, { steps: [], repeat: 0, ack_timeout_sec: 0 });
  t.strictSame(made.on_recovery, { notify: true, delay_sec: 0, channels: [] });
  const suppression = { after_sec: 0, quiet_hours: [], flapping: 'notice', depends_on: [], no_data_after_sec: 900 };
  t.strictSame(made.suppression, suppression);

  const quiet = { ...window, below: 'critical', action: 'hold' };
  const changed = await data(api, 'PATCH', `${path}/${made.id}`, {
    enabled: false,
    rules: [
      {
        match: { severity: ['critical'], tags_any: ['Web ', 'eu', 'web'], time_window: window },
        channels: [choice(one.id), { channel_id: two.id }, { channel_id: one.id }],
        delay_sec: 60,
        repeat: { enabled: true },
      },
    ],
    escalation: { steps: [{ after_sec: 900, channels: [{ channel_id: two.id, type: 'webhook' }] }], repeat: 2 },
    on_recovery: { delay_sec: 30, channels: [{ channel_id: two.id }] },
    suppression: { quiet_hours: [quiet], depends_on: [monitor.id] },
  });
  t.match(changed, { name: 'Nights', enabled: false });
  t.strictSame(changed.rules, [
    {
      match: { severity: ['critical'], tags_any: ['eu', 'web'], time_window: window },
      channels: [choice(one.id), choice(two.id)],
      delay_sec: 60,
      repeat: { enabled: true, interval_sec: 14_400, max_count: 10 },
    },
  ]);
  const step = { after_sec: 900, channels: [choice(two.id)], schedule_id: null };
  t.strictSame(changed.escalation, { steps: [step], repeat: 2, ack_timeout_sec: 0 });
  t.strictSame(changed.on_recovery, { notify: true, delay_sec: 30, channels: [choice(two.id)] });
  t.strictSame(changed.suppression, { ...suppression, quiet_hours: [quiet], depends_on: [monitor.id] });

  const partly = await data(api, 'PATCH', `${path}/${made.id}`, {
    escalation: { ack_timeout_sec: 300 },
    on_recovery: { notify: false },
    suppression: { after_sec: 45 },
  });
  t.strictSame(partly.escalation, { ...changed.escalation, ack_timeout_sec: 300 }, 'other fields of a part are kept');
  t.strictSame(partly.on_recovery, { ...changed.on_recovery, notify: false });
  t.strictSame(partly.suppression, { ...changed.suppression, after_sec: 45 });
  t.strictSame(await data(api, 'GET', `${path}/${made.id}`), partly);
  const { id, user_id, is_test, created_at, updated_at, ...sent } = partly;
  t.match(await data(api, 'PATCH', `${path}/${id}`, sent), { ...sent, user_id, is_test, created_at });
  t.ok(updated_at > created_at);

  await data(api, 'DELETE', `${path}/${id}`);
  t.match(await api.call('GET', `${path}/${id}`), { status: 404, body: { error: { code: 'ALERT_RULE_NOT_FOUND' } } });
  const acts = await database.db('audit_log').where({ subject: id }).distinct('action').pluck('action');
  t.same(acts.sort(), ['alert_policy.changed', 'alert_policy.created', 'alert_policy.deleted']);
});

t.test('a policy in the simple form is one rule for one monitor, and keeps its form until it gets rules', async (t) => {
  const api = await anOwner();
  const hooked = await channel(api, 'Hook');
  const [monitor, other] = [await aHeartbeat(api), await aHeartbeat(api, { name: 'Other' })];
  const usual = (await defaultOf(api)).rules[0].channels;
  const made = await data(api, 'POST', path, { name: 'One', monitor_id: monitor.id });
  t.strictSame([made.monitor_id, made.channel_ids], [monitor.id, [usual[0].channel_id]], 'to the default channel');
  t.match(made.rules, [{ match: { severity: [], tags_any: [], time_window: null }, channels: usual, delay_sec: 0 }]);
  const simple = await data(api, 'PATCH', `${path}/${made.id}`, { channel_ids: [hooked.id, hooked.id] });
  t.strictSame([simple.monitor_id, simple.channel_ids], [monitor.id, [hooked.id]]);
  const escalated = await data(api, 'PATCH', `${path}/${made.id}`, { name: 'Uno', escalation: { repeat: 1 } });
  t.match(escalated, { monitor_id: monitor.id, channel_ids: [hooked.id], escalation: { repeat: 1 } });
  t.match(await data(api, 'PATCH', `${path}/${made.id}`, { monitor_id: other.id }), { monitor_id: other.id });

  const conflict = (field: string) => refusal(400, 'VALIDATION_FAILED', field, 'conflict');
  const patch = (body: object) => api.call('PATCH', `${path}/${made.id}`, { body });
  const rules = [{ channels: [{ channel_id: hooked.id }] }];
  t.match(await patch({ channel_ids: null }), conflict('channel_ids'));
  t.match(await patch({ monitor_id: null }), conflict('monitor_id'));
  t.match(await patch({ channel_ids: [hooked.id], rules }), conflict('channel_ids'));
  const full = await data(api, 'PATCH', `${path}/${made.id}`, { rules, monitor_id: null, channel_ids: null });
  t.match(full, { name: 'Uno', monitor_id: null, channel_ids: null, escalation: { repeat: 1 } });
  t.match(await patch({ monitor_id: monitor.id }), conflict('monitor_id'));

  const post = (body: object) => api.call('POST', path, { body: { name: 'New', ...body } });
  t.match(await post({ monitor_id: monitor.id, rules }), conflict('monitor_id'));
  t.match(await post({ monitor_id: monitor.id, escalation: {} }), conflict('monitor_id'));
  t.match(await post({ channel_ids: [hooked.id] }), refusal(400, 'VALIDATION_FAILED', 'monitor_id', 'required'));
  t.match(await post({}), refusal(400, 'VALIDATION_FAILED', 'rules', 'required'));
  t.match(await post({ monitor_id: 'm_1' }), refusal(400, 'VALIDATION_FAILED', 'monitor_id', 'not_found'));

  const { id } = await data(api, 'POST', path, { name: 'New', monitor_id: monitor.id });
  await data(api, 'DELETE', `/v1/monitors/${monitor.id}`);
  t.same(await database.db('alert_policies').where({ id }).pluck('id'), [], 'it goes with its monitor');
});

t.test('channel_ids replaces the channels of the default policy until it has rules of its own', async (t) => {
  const api = await anOwner();
  const one = await channel(api, 'One');
  const { id, channel_ids: usual } = await defaultOf(api);
  t.strictSame(usual, [`ch_${api.userId.slice(2)}`]);
  const both = [...usual, one.id];
  const repeat = { enabled: true, interval_sec: 3_600, max_count: 3 };
  const rule = { channels: [{ channel_id: one.id }], repeat };
  await data(api, 'PATCH', `${path}/${id}`, { rules: [rule] });
  const changed = await data(api, 'PATCH', `${path}/${id}`, { channel_ids: both });
  t.strictSame(changed.channel_ids, both);
  t.match(changed, { monitor_id: null, is_default: true, rules: [{ repeat }] });
  const rules = [rule, { ...rule, match: { severity: ['critical'] } }];
  t.equal((await data(api, 'PATCH', `${path}/${id}`, { rules })).channel_ids, null);
  t.match(
    await api.call('PATCH', `${path}/${id}`, { body: { channel_ids: both } }),
    refusal(400, 'VALIDATION_FAILED', 'channel_ids', 'conflict'),
  );
});

t.test('a policy that cannot be used as written is refused with the field and the reason', async (t) => {
  const api = await anOwner();
  const { id } = await channel(api, 'Hook');
  const one = [{ channel_id: id }];
  const rule = (fields: object) => ({ rules: [{ channels: one, ...fields }] });
  const timed = (changes: object) => rule({ match: { time_window: { ...window, ...changes } } });
  const quiet = (changes: object) => ({
    ...rule({}),
    suppression: { quiet_hours: [{ ...window, below: 'warning', action: 'drop', ...changes }] },
  });
  const steps = (...given: object[]) => ({ ...rule({}), escalation: { steps: given } });
  const many = <T>(count: number, item: T) => Array.from({ length: count }, () => item);
  const invalid = [400, 'VALIDATION_FAILED'] as const;
  const refused = [422, 'VALIDATION_FAILED'] as const;
  const zone = 'rules.0.match.time_window.timezone';
  const cases: readonly (readonly [object, number, string, string, string])[] = [
    [{ rules: [] }, ...invalid, 'rules', 'required'],
    [{ rules: [{ channels: [] }, {}] }, ...invalid, 'rules', 'required'],
    [{ rules: many(21, { channels: one }) }, ...refused, 'rules', 'refused'],
    [{ rules: [{ channels: many(11, one[0]) }] }, ...refused, 'rules.0.channels', 'refused'],
    [timed({ timezone: 'Mars/Olympus' }), ...invalid, zone, 'format'],
    [timed({ timezone: '+02:00' }), ...invalid, zone, 'format'],
    [timed({ start: '24:00' }), ...invalid, 'rules.0.match.time_window.start', 'format'],
    [timed({ end: '9:00' }), ...invalid, 'rules.0.match.time_window.end', 'format'],
    [timed({ days: [] }), ...invalid, 'rules.0.match.time_window.days', 'length'],
    [timed({ days: ['mon', 'mon'] }), ...invalid, 'rules.0.match.time_window.days', 'conflict'],
    [quiet({ timezone: 'Nowhere' }), ...invalid, 'suppression.quiet_hours.0.timezone', 'format'],
    [quiet({ below: 'info' }), ...invalid, 'suppression.quiet_hours.0.below', 'enum'],
    [rule({ delay_sec: 86_401 }), ...invalid, 'rules.0.delay_sec', 'range'],
    [rule({ repeat: { interval_sec: 299 } }), ...invalid, 'rules.0.repeat.interval_sec', 'range'],
    [rule({ match: { severity: ['fatal'] } }), ...invalid, 'rules.0.match.severity.0', 'enum'],
    [rule({ wrong: 1 }), ...invalid, 'rules.0.wrong', 'unknown'],
    [rule({ match: { wrong: 1 } }), ...invalid, 'rules.0.match.wrong', 'unknown'],
    [rule({ repeat: { wrong: 1 } }), ...invalid, 'rules.0.repeat.wrong', 'unknown'],
    [timed({ wrong: 1 }), ...invalid, 'rules.0.match.time_window.wrong', 'unknown'],
    [steps({ after_sec: 60, wrong: 1 }), ...invalid, 'escalation.steps.0.wrong', 'unknown'],
    [{ ...rule({}), escalation: { wrong: 1 } }, ...invalid, 'escalation.wrong', 'unknown'],
    [{ ...rule({}), on_recovery: { wrong: 1 } }, ...invalid, 'on_recovery.wrong', 'unknown'],
    [{ ...rule({}), suppression: { wrong: 1 } }, ...invalid, 'suppression.wrong', 'unknown'],
    [quiet({ wrong: 1 }), ...invalid, 'suppression.quiet_hours.0.wrong', 'unknown'],
    [{ rules: [{ channels: [{}] }] }, ...invalid, 'rules.0.channels.0.channel_id', 'required'],
    [{ rules: [{ channels: [{ to: ['a@b.example'] }] }] }, ...invalid, 'rules.0.channels.0.type', 'required'],
    [{ rules: [{ channels: [{ channel_id: 'ch_1' }] }] }, ...invalid, 'rules.0.channels.0.channel_id', 'not_found'],
    [
      rule({ channels: [{ channel_id: id, type: 'slack' }] }),
      422,
      'ALERT_CHANNEL_INVALID',
      'rules.0.channels.0.type',
      'refused',
    ],
    [
      rule({ channels: [{ channel_id: id, to: ['x'] }] }),
      422,
      'ALERT_CHANNEL_INVALID',
      'rules.0.channels.0.to.0',
      'refused',
    ],
    [steps({ after_sec: 59, channels: one }), ...invalid, 'escalation.steps.0.after_sec', 'range'],
    [
      steps({ after_sec: 60, channels: one }, { after_sec: 60, channels: one }),
      ...invalid,
      'escalation.steps.1.after_sec',
      'range',
    ],
    [steps({ after_sec: 60 }), ...invalid, 'escalation.steps.0.channels', 'required'],
    [steps({ after_sec: 60, schedule_id: 'onc_1' }), ...refused, 'escalation.steps.0.schedule_id', 'not_supported'],
    [steps({ after_sec: 60, channels: many(11, one[0]) }), ...refused, 'escalation.steps.0.channels', 'refused'],
    [{ ...rule({}), escalation: { ack_timeout_sec: 299 } }, ...invalid, 'escalation.ack_timeout_sec', 'range'],
    [{ ...rule({}), on_recovery: { channels: many(11, one[0]) } }, ...refused, 'on_recovery.channels', 'refused'],
    [{ ...rule({}), suppression: { no_data_after_sec: 1 } }, ...invalid, 'suppression.no_data_after_sec', 'range'],
    [{ ...rule({}), suppression: { depends_on: ['m_1'] } }, ...invalid, 'suppression.depends_on.0', 'not_found'],
    [{ ...rule({}), name: ' ' }, ...invalid, 'name', 'format'],
  ];
  for (const [body, status, code, field, fieldCode] of cases) {
    const answer = await api.call('POST', path, { body: { name: 'New', ...body } });
    t.match(answer, refusal(status, code, field, fieldCode), `${field}: ${JSON.stringify(answer.body.error)}`);
  }
  const monitor = await aHeartbeat(api);
  t.match(
    await api.call('POST', path, { body: { name: 'New', monitor_id: monitor.id, channel_ids: many(11, id) } }),
    refusal(422, 'VALIDATION_FAILED', 'channel_ids', 'refused'),
  );
  t.equal((await data(api, 'GET', path)).items.length, 1);
});

t.test('a policy may have 20 rules of 10 channels, and windows of a whole day and across midnight', async (t) => {
  const api = await anOwner();
  const ids: string[] = [];
  while (ids.length < 10) ids.push((await channel(api, `Hook ${ids.length}`)).id);
  const windows = [
    { ...window, start: '09:00', end: '09:00' },
    { ...window, start: '22:00', end: '06:00' },
  ];
  const rules = Array.from({ length: 20 }, (_, index) => ({
    match: { time_window: windows[index % 2] },
    channels: ids.map((channel_id) => ({ channel_id })),
  }));
  const made = await data(api, 'POST', path, { name: 'Large', rules });
  t.equal(made.rules.length, 20);
  t.strictSame(
    made.rules.slice(0, 2).map(({ match }: { match: { time_window: object } }) => match.time_window),
    windows,
  );
  t.strictSame((await data(api, 'PATCH', `${path}/${made.id}`, { rules: made.rules })).rules, made.rules);
  const [first] = (
    await data(api, 'PATCH', `${path}/${made.id}`, {
      rules: [{ channels: [{ channel_id: ids[0] }], match: { time_window: { ...windows[0], timezone: undefined } } }],
    })
  ).rules;
  t.equal(first.match.time_window.timezone, 'UTC', 'the zone of the account');
});

t.test('recipients of a rule must be verified ones, and are found by their type', async (t) => {
  const api = await anOwner();
  const { db } = database;
  const mail = (name: string, to: string[]) =>
    data(api, 'POST', '/v1/alert-channels', { name, type: 'email', config: { to } });
  const first = await mail('First', ['a@ops.example.com', 'b@ops.example.com']);
  const second = await mail('Second', ['b@ops.example.com', 'c@ops.example.com', 'd@ops.example.com']);
  const verified = (address: string) => db('alert_recipients').where({ address }).update({ verified_at: new Date() });
  for (const name of ['a', 'b', 'c']) await verified(`${name}@ops.example.com`);
  await db('alert_recipients').where({ address: 'c@ops.example.com' }).update({ unsubscribed_at: new Date() });
  const post = (choice: object) => api.call('POST', path, { body: { name: 'New', rules: [{ channels: [choice] }] } });
  const refused = (index: number) => refusal(422, 'ALERT_CHANNEL_INVALID', `rules.0.channels.0.to.${index}`, 'refused');
  t.match(await post({ type: 'email', to: ['a@ops.example.com', 'd@ops.example.com'] }), refused(1), 'not verified');
  t.match(await post({ type: 'email', to: ['c@ops.example.com'] }), refused(0), 'unsubscribed');
  t.match(await post({ type: 'sms', to: ['a@ops.example.com'] }), refused(0), 'another type');
  t.match(await post({ channel_id: second.id, to: ['a@ops.example.com'] }), refused(0), 'another channel');
  const made = await post({ type: 'email', to: ['A@ops.example.com ', 'b@ops.example.com'] });
  const both = { type: 'email', channel_id: first.id, to: ['a@ops.example.com', 'b@ops.example.com'] };
  t.strictSame(made.body.data?.rules[0].channels, [both], 'the oldest channel that has them');
  const { id } = made.body.data;
  const rules = [{ channels: [{ channel_id: second.id, to: ['b@ops.example.com'] }, { channel_id: first.id }] }];
  t.strictSame((await data(api, 'PATCH', `${path}/${id}`, { rules })).rules[0].channels, [
    { type: 'email', channel_id: second.id, to: ['b@ops.example.com'] },
    { type: 'email', channel_id: first.id, to: null },
  ]);
  t.match(
    await api.call('POST', path, { body: { name: 'W', rules: [{ channels: [{ type: 'wechatwork', to: ['x'] }] }] } }),
    refused(0),
    'an alias of wecom, which has no recipients',
  );
});

t.test('every account has one default policy, which can be handed over and disabled, not deleted', async (t) => {
  const api = await anOwner();
  const first = await defaultOf(api);
  t.match(first, { id: `ap_${api.userId.slice(2)}`, name: 'Default', enabled: true, monitor_id: null });
  const channelId = `ch_${api.userId.slice(2)}`;
  const { name, rules, escalation, on_recovery, suppression, depends_on } = defaultPolicy({
    type: 'email',
    channel_id: channelId,
    to: null,
  });
  t.strictSame(
    {
      name: first.name,
      rules: first.rules,
      escalation: first.escalation,
      on_recovery: first.on_recovery,
      suppression: first.suppression,
    },
    { name, rules, escalation, on_recovery, suppression: { ...suppression, depends_on } },
    'as new accounts get it',
  );
  const { db } = database;
  const asStored = () =>
    db('alert_policies').where({ owner_id: api.userId }).first('id', 'name', 'rules', 'is_default');
  const stored = await asStored();
  await db('alert_policies').where({ owner_id: api.userId }).delete();
  await db.raw('SELECT insert_default_alert_policy(?, now())', [api.userId]);
  t.strictSame(await asStored(), stored, 'as accounts from before get it');
  const conflict = { status: 409, body: { error: { code: 'ALERT_RULE_CONFLICT' } } };
  t.match(await api.call('DELETE', `${path}/${first.id}`), conflict);
  t.match(await api.call('DELETE', `${path}/${first.id}?force=true`), conflict);
  t.match(await api.call('PATCH', `${path}/${first.id}`, { body: { is_default: false } }), conflict);
  t.match(await data(api, 'PATCH', `${path}/${first.id}`, { enabled: false }), { enabled: false, is_default: true });

  const hooked = await channel(api, 'Hook');
  const monitor = await aHeartbeat(api);
  const simple = { name: 'Simple', monitor_id: monitor.id };
  const inBody = (body: object) => api.call('POST', path, { body: { ...body, is_default: true } });
  t.match(await inBody(simple), refusal(400, 'VALIDATION_FAILED', 'is_default', 'conflict'));
  const next = { name: 'Next', rules: [{ channels: [{ channel_id: hooked.id }] }] };
  const made = (await inBody(next)).body.data;
  t.match([made.is_default, (await defaultOf(api)).id], [true, made.id]);
  t.match(await data(api, 'GET', `${path}/${first.id}`), { is_default: false });
  t.match(await data(api, 'PATCH', `${path}/${first.id}`, { is_default: true }), { is_default: true });
  await data(api, 'DELETE', `${path}/${made.id}`);
  t.same(await db('alert_policies').where({ owner_id: api.userId, is_default: true }).pluck('id'), [first.id]);

  const { apiKeys } = controlPlane.services.tokens;
  const request = { name: 'test', type: 'test' as const, scopes: ['alert:write' as const, 'alert:read' as const] };
  const { key: as } = await apiKeys.create(asUser(api.userId), request, commandLine);
  const ofTest = (await api.call('POST', '/v1/alert-channels', { body: hook('Tried'), as })).body.data;
  const body = { name: 'Tried', is_default: true, rules: [{ channels: [{ channel_id: ofTest.id }] }] };
  t.match(await api.call('POST', path, { body, as }), refusal(422, 'VALIDATION_FAILED', 'is_default', 'refused'));
  t.equal((await api.call('GET', `${path}/${first.id}`, { as })).status, 404);
  t.equal((await defaultOf(api)).id, first.id);
});

t.test('names are unique, and an account has at most 100 policies', async (t) => {
  const api = await anOwner();
  const { id } = await channel(api, 'Hook');
  const body = (name: string) => ({ name, rules: [{ channels: [{ channel_id: id }] }] });
  const made = await data(api, 'POST', path, body('One'));
  const taken = refusal(409, 'ALERT_RULE_CONFLICT', 'name', 'conflict');
  t.match(await api.call('POST', path, { body: body('One ') }), taken);
  t.match(await api.call('PATCH', `${path}/${made.id}`, { body: { name: 'Default' } }), taken);
  t.match(await data(api, 'PATCH', `${path}/${made.id}`, { name: 'One' }), { name: 'One' });
  const [row] = await database.db('alert_policies').where({ id: made.id });
  const copies = Array.from({ length: 98 }, (_, index) => ({
    ...row,
    id: newId(idPrefixes.alertPolicy),
    name: `Copy ${index}`,
  }));
  const columns = ({ rules, escalation, on_recovery, suppression, ...rest }: typeof row) => ({
    ...rest,
    rules: JSON.stringify(rules),
    escalation: JSON.stringify(escalation),
    on_recovery: JSON.stringify(on_recovery),
    suppression: JSON.stringify(suppression),
  });
  await database.db('alert_policies').insert(copies.map(columns));
  const capped = await api.call('POST', path, { body: body('More') });
  t.match(capped, refusal(422, 'VALIDATION_FAILED', 'alert_policies', 'refused'));
  const page = await api.call('GET', `${path}?page_size=30&page=4`);
  t.match(page.body.meta.pagination, { total: 100, has_more: false });
  t.equal(page.body.data.items.length, 10);
});

t.test('a policy that monitors name is deleted only by force, and is then removed from them', async (t) => {
  const api = await anOwner();
  const { id: channel_id } = await channel(api, 'Hook');
  const { id } = await data(api, 'POST', path, { name: 'Named', rules: [{ channels: [{ channel_id }] }] });
  const monitor = await aHeartbeat(api, { name: 'Backup', alert_policy_id: id });
  t.equal(monitor.alert_policy_id, id);
  const refused = await api.call('DELETE', `${path}/${id}`);
  t.match(refused, refusal(409, 'ALERT_RULE_CONFLICT', 'monitors', 'conflict'));
  t.match(refused.body.error.details.monitors[0].message, `Backup (${monitor.id})`);
  await data(api, 'DELETE', `${path}/${id}?force=true`);
  t.equal((await data(api, 'GET', `/v1/monitors/${monitor.id}`)).alert_policy_id, null);
});

t.test(
  'a channel that policies name is deleted only by force, and the default channel replaces the last one of a rule',
  async (t) => {
    const api = await anOwner();
    const [one, two] = [await channel(api, 'One'), await channel(api, 'Two')];
    const usual = (await defaultOf(api)).rules[0].channels[0].channel_id;
    const monitor = await aHeartbeat(api);
    const choice = ({ id: channel_id }: { id: string }) => ({ channel_id });
    const full = await data(api, 'POST', path, {
      name: 'Full',
      rules: [{ channels: [choice(one), choice(two)] }, { channels: [choice(one)] }],
      on_recovery: { channels: [choice(one)] },
    });
    const deep = await data(api, 'POST', path, {
      name: 'Deep',
      rules: [{ channels: [choice(two)] }],
      escalation: { steps: [{ after_sec: 60, channels: [choice(one)] }] },
    });
    const simple = await data(api, 'POST', path, { name: 'Simple', monitor_id: monitor.id, channel_ids: [one.id] });
    await data(api, 'POST', path, { name: 'Other', rules: [{ channels: [choice(two)] }] });
    const refused = await api.call('DELETE', `/v1/alert-channels/${one.id}`);
    t.match(refused, { status: 409, body: { error: { code: 'CONFLICT' } } });
    const [{ message }] = refused.body.error.details.policies;
    t.equal(message, `named by Full (${full.id}), Deep (${deep.id}), Simple (${simple.id})`);
    await data(api, 'DELETE', `/v1/alert-channels/${one.id}?force=true`);
    const read = (id: string) => data(api, 'GET', `${path}/${id}`);
    const named = ({ channels }: { channels: { channel_id: string }[] }) => channels.map(({ channel_id: id }) => id);
    const changed = await read(full.id);
    t.strictSame(changed.rules.map(named), [[two.id], [usual]]);
    t.strictSame(changed.on_recovery.channels, []);
    t.strictSame((await read(deep.id)).escalation.steps.map(named), [[usual]]);
    t.match(await read(simple.id), { monitor_id: monitor.id, channel_ids: [usual] });
  },
);

t.test('monitors cannot depend on each other, whichever change would cause it', async (t) => {
  const api = await anOwner();
  const { id: channel_id } = await channel(api, 'Hook');
  const router = await aHeartbeat(api, { name: 'Router' });
  const shop = await aHeartbeat(api, { name: 'Shop' });
  const page = await aHeartbeat(api, { name: 'Page' });
  const rules = [{ channels: [{ channel_id }] }];
  const policy = (name: string, ...depends_on: string[]) =>
    data(api, 'POST', path, { name, rules, suppression: { depends_on } });
  const use = (monitor: { id: string }, alert_policy_id: string | null) =>
    api.call('PATCH', `/v1/monitors/${monitor.id}`, { body: { alert_policy_id } });
  const below = await policy('Below the router', router.id);
  t.equal((await use(shop, below.id)).status, 200);
  t.equal((await use(router, below.id)).status, 200, 'a monitor does not depend on itself');
  const ofShop = await policy('Below the shop', shop.id);
  t.equal((await use(page, ofShop.id)).status, 200, 'a chain');
  const cycle = (field: string) => refusal(422, 'VALIDATION_FAILED', field, 'refused');
  t.match(await use(router, ofShop.id), cycle('alert_policy_id'), 'a monitor takes the policy');
  t.match((await data(api, 'GET', `/v1/monitors/${router.id}`)).alert_policy_id, below.id);
  const change = (id: string, body: object) => api.call('PATCH', `${path}/${id}`, { body });
  const depending = cycle('suppression.depends_on');
  t.match(await change(below.id, { suppression: { depends_on: [router.id, page.id] } }), depending, 'a policy changes');
  const both = { suppression: { depends_on: [router.id, shop.id] } };
  t.match(await change(below.id, both), depending, 'two monitors of one policy');
  const simple = await data(api, 'POST', path, { name: 'Router alone', monitor_id: router.id });
  t.match(await change(simple.id, { suppression: { depends_on: [shop.id] } }), depending, 'a simple policy');

  const usual = await defaultOf(api);
  t.equal((await change(usual.id, { suppression: { depends_on: [page.id] } })).status, 200);
  const free = await aHeartbeat(api, { name: 'Free', notify_owner: false });
  t.equal((await change(ofShop.id, { suppression: { depends_on: [shop.id, free.id] } })).status, 200);
  const notified = await api.call('PATCH', `/v1/monitors/${free.id}`, { body: { notify_owner: true } });
  t.match(notified, cycle('alert_policy_id'), 'a monitor gets the default policy');

  const own = await policy('Of its own');
  const last = await aHeartbeat(api, { name: 'Last', alert_policy_id: own.id });
  t.equal((await change(ofShop.id, { suppression: { depends_on: [shop.id, last.id] } })).status, 200);
  const deleted = await api.call('DELETE', `${path}/${own.id}?force=true`);
  t.match(deleted, { status: 409, body: { error: { code: 'ALERT_RULE_CONFLICT' } } }, 'a policy is deleted');
  t.equal((await data(api, 'GET', `/v1/monitors/${last.id}`)).alert_policy_id, own.id);
});
