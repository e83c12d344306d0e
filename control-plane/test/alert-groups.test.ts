import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t from 'tap';
import { startStack } from './_support/stack.js';

const path = '/v1/alert-groups';
const shops = { name: ' Shops', group_by: 'monitor_prefix', group_value: 'Shop ' };

t.test('groups are created with defaults, listed, changed and deleted', async (t) => {
  const { api, database } = await startStack(t);
  const made = (await api.call('POST', path, { body: shops })).body.data;
  t.match(made, { id: /^agr_/, user_id: api.userId, name: 'Shops', group_by: 'monitor_prefix', group_value: 'Shop' });
  t.match(made, { wait_seconds: 30, interval_seconds: 300 });
  const change = async (body: object) => (await api.call('PATCH', `${path}/${made.id}`, { body })).body.data;
  t.match(await change({ wait_seconds: 0 }), { name: 'Shops', wait_seconds: 0, interval_seconds: 300 });
  t.match(await change({ group_by: 'tag', group_value: 'EU' }), { group_by: 'tag', group_value: 'eu' });
  t.match(await change({ group_by: 'type', group_value: 'ssl' }), { group_value: 'ssl_expiry' });
  const { body } = await api.call('GET', path);
  t.match(body, { data: { items: [{ id: made.id, wait_seconds: 0 }] }, meta: { pagination: { total: 1 } } });
  t.equal((await api.call('DELETE', `${path}/${made.id}`)).status, 200);
  const missing = { status: 404, body: { error: { code: 'ALERT_NOISE_RULE_NOT_FOUND' } } };
  t.match(await api.call('GET', `${path}/${made.id}`), missing);
  t.match(await api.call('PATCH', `${path}/${made.id}`, { body: { name: 'Gone' } }), missing);
  t.match(await api.call('DELETE', `${path}/${made.id}`), missing);
  const acts = await database.db('audit_log').where({ subject: made.id }).distinct('action').pluck('action');
  t.same(acts.sort(), ['alert_group.changed', 'alert_group.created', 'alert_group.deleted']);
});

t.test('an invalid group is refused with the field and the reason, and an account has at most 50', async (t) => {
  const { api, database } = await startStack(t);
  const cases: readonly (readonly [object, string, string])[] = [
    [{ group_by: 'name' }, 'group_by', 'enum'],
    [{ group_by: 'type', group_value: 'pigeon' }, 'group_value', 'enum'],
    [{ group_value: ' ' }, 'group_value', 'format'],
    [{ wait_seconds: -1 }, 'wait_seconds', 'range'],
    [{ wait_seconds: 3_601 }, 'wait_seconds', 'range'],
    [{ interval_seconds: 59 }, 'interval_seconds', 'range'],
    [{ interval_seconds: 86_401 }, 'interval_seconds', 'range'],
    [{ wrong: 1 }, 'wrong', 'unknown'],
  ];
  for (const [fields, field, code] of cases) {
    const refused = { status: 400, body: { error: { details: { [field]: [{ code }] } } } };
    t.match(await api.call('POST', path, { body: { ...shops, ...fields } }), refused, JSON.stringify(fields));
  }
  const { id } = (await api.call('POST', path, { body: shops })).body.data;
  const toType = await api.call('PATCH', `${path}/${id}`, { body: { group_by: 'type' } });
  t.match(toType, { status: 400, body: { error: { details: { group_value: [{ code: 'enum' }] } } } });
  const [row] = await database.db('alert_groups').where({ id });
  const copies = Array.from({ length: 49 }, () => ({ ...row, id: newId(idPrefixes.alertGroup) }));
  await database.db('alert_groups').insert(copies);
  const capped = await api.call('POST', path, { body: shops });
  t.match(capped, { status: 422, body: { error: { details: { alert_groups: [{ code: 'refused' }] } } } });
});
