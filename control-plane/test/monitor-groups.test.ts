import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { program } from '../src/audit-log/actor.js';
import { CheckingNode } from './_support/checking-node.js';
import { asUser } from './_support/owners.js';
import { createUserApi, startStack, type TestApi } from './_support/stack.js';

const { controlPlane, database } = await startStack(t);
const path = '/v1/monitor-groups';
const tcp = { type: 'tcp', target: '127.0.0.1:9', interval_s: 60 };

async function data(api: TestApi, method: string, url: string, body?: object) {
  const answer = await api.call(method, url, body === undefined ? {} : { body });
  if (answer.status > 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data;
}

t.test('groups are listed by their order, then by their creation, page by page', async (t) => {
  const api = await createUserApi(controlPlane, 'order@test.example', 'admin');
  const make = (name: string, sort_order?: number) =>
    data(api, 'POST', path, { name, ...(sort_order === undefined ? {} : { sort_order }) });
  const first = await make(' First ');
  t.match(first, { id: /^mgr_/, user_id: api.userId, name: 'First', sort_order: 0, created_at: String });
  await make('Last', 1);
  await make('Second');
  const top = await make('Top', -5);
  const names = async (query = '') =>
    (await data(api, 'GET', `${path}${query}`)).items.map(({ name }: { name: string }) => name);
  t.same(await names(), ['Top', 'First', 'Second', 'Last']);
  t.same(await names('?page=2&page_size=3'), ['Last']);
  t.match(await data(api, 'PATCH', `${path}/${top.id}`, { sort_order: 7 }), { name: 'Top', sort_order: 7 });
  t.match(await data(api, 'PATCH', `${path}/${top.id}`, { name: 'Bottom' }), { name: 'Bottom', sort_order: 7 });
  t.same(await names(), ['First', 'Second', 'Last', 'Bottom']);
  const acts = await database.db('audit_log').where({ subject: top.id }).orderBy('id').pluck('action');
  t.same(acts, ['monitor_group.created', 'monitor_group.changed', 'monitor_group.changed']);
});

t.test('a group is read by its id, as lists show it', async (t) => {
  const api = await createUserApi(controlPlane, 'id@test.example', 'admin');
  const made = await data(api, 'POST', path, { name: 'Shops', sort_order: 3 });
  t.strictSame(await data(api, 'GET', `${path}/${made.id}`), made);
  t.strictSame((await data(api, 'GET', path)).items, [made]);
  await data(api, 'DELETE', `${path}/${made.id}`);
  t.equal((await api.call('GET', `${path}/${made.id}`)).status, 404);
});

t.test('a deleted group leaves its monitors without a group, and outside of its maintenance windows', async (t) => {
  const api = await createUserApi(controlPlane, 'deleted@test.example', 'admin');
  const node = await CheckingNode.join(t, api);
  const group = await data(api, 'POST', path, { name: 'Shops' });
  const { id } = await data(api, 'POST', '/v1/monitors', { name: 'Shop', ...tcp, group_id: group.id });
  await data(api, 'POST', '/v1/maintenance-windows', {
    scope_type: 'group',
    scope_ids: [group.id],
    starts_at: new Date(Date.now() - 60_000).toISOString(),
    ends_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await node.waitForAssignment(id);
  node.check(id, 'failed');
  const monitor = () => data(api, 'GET', `/v1/monitors/${id}`);
  const events = async () => (await data(api, 'GET', `/v1/monitors/${id}/events`)).items;
  await until('it to be down', async () => (await monitor()).current_status === 'down');
  t.match(await monitor(), { group_id: group.id, in_maintenance: true });
  t.same(await events(), []);
  t.equal(await data(api, 'DELETE', `${path}/${group.id}`), null);
  t.match(await monitor(), { group_id: null, in_maintenance: false });
  await until('its event', async () => (await events()).length === 1);
  t.equal((await api.call('DELETE', `${path}/${group.id}`)).status, 404);
});

t.test('a group of another account, or a live one for a test key, does not exist', async (t) => {
  const api = await createUserApi(controlPlane, 'bob@test.example', 'admin');
  const { key } = await controlPlane.services.tokens.apiKeys.create(
    asUser(api.userId),
    { name: 'test', type: 'test', scopes: ['monitor:write', 'monitor:read'] },
    program,
  );
  await CheckingNode.join(t, api);
  const { id } = await data(api, 'POST', path, { name: 'Live' });
  const stranger = await createUserApi(controlPlane, 'ada@test.example', 'user');
  for (const as of [stranger.token, key]) {
    t.match(await api.call('GET', `${path}/${id}`, { as }), { status: 404, body: { error: { code: 'NOT_FOUND' } } });
    t.equal((await api.call('PATCH', `${path}/${id}`, { body: { name: 'x' }, as })).body.error.code, 'NOT_FOUND');
    t.equal((await api.call('DELETE', `${path}/${id}`, { as })).body.error.code, 'NOT_FOUND');
    t.same((await api.call('GET', path, { as })).body.data.items, []);
  }
  const monitor = { name: 'Test', ...tcp, group_id: id };
  t.match((await api.call('POST', '/v1/monitors', { body: monitor, as: key })).body.error.details, {
    group_id: [{ code: 'not_found' }],
  });
  const own = await api.call('POST', path, { body: { name: 'Test' }, as: key });
  t.equal(
    (await api.call('POST', '/v1/monitors', { body: { ...monitor, group_id: own.body.data.id }, as: key })).status,
    201,
  );
  t.equal((await data(api, 'GET', path)).items.length, 2);
});

t.test('invalid input names the field and the error', async (t) => {
  const api = await createUserApi(controlPlane, 'invalid@test.example', 'admin');
  const cases: readonly [object, string, string][] = [
    [{}, 'name', 'required'],
    [{ name: '' }, 'name', 'length'],
    [{ name: ' ' }, 'name', 'format'],
    [{ name: 'x'.repeat(201) }, 'name', 'length'],
    [{ name: 'a\0' }, 'name', 'format'],
    [{ name: 'x', sort_order: 1.5 }, 'sort_order', 'type'],
    [{ name: 'x', sort_order: 2 ** 31 }, 'sort_order', 'range'],
    [{ name: 'x', parent: 'y' }, 'parent', 'unknown'],
  ];
  for (const [body, field, code] of cases) {
    const answer = await api.call('POST', path, { body });
    t.match([answer.status, answer.body.error?.details?.[field]?.[0].code], [400, code], JSON.stringify(body));
  }
  const { id } = await data(api, 'POST', path, { name: 'x' });
  t.match((await api.call('PATCH', `${path}/${id}`, { body: {} })).status, 400);
});
