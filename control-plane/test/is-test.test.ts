import t from 'tap';
import type { TObject } from 'typebox';
import { program } from '../src/audit-log/actor.js';
import { routes } from '../src/wiring/modules.js';
import { CheckingNode } from './_support/checking-node.js';
import { asUser } from './_support/owners.js';
import { startStack } from './_support/stack.js';

const window = {
  scope_type: 'all',
  starts_at: new Date(Date.now() + 3_600_000).toISOString(),
  ends_at: new Date(Date.now() + 7_200_000).toISOString(),
};

/** Stands for the id of the account's default channel. */
const DEFAULT = 'ch_default';

/** Resources that an API key can create, each with a change to it. */
const records: readonly [path: string, body: object, change: object][] = [
  ['/v1/monitors', { name: 'Shop', type: 'tcp', target: '127.0.0.1:9' }, { tags: ['eu'] }],
  ['/v1/monitors', { name: 'Backup', type: 'heartbeat' }, { tags: ['eu'] }],
  ['/v1/monitor-groups', { name: 'Shops' }, { sort_order: 1 }],
  ['/v1/maintenance-windows', window, { title: 'Work' }],
  ['/v1/webhooks', { url: 'http://127.0.0.1:8099/', events: ['*'] }, { payload: 'thin' }],
  [
    '/v1/alert-channels',
    { name: 'Hook', type: 'webhook', config: { url: 'https://hooks.example.com/' } },
    { enabled: false },
  ],
  ['/v1/alert-policies', { name: 'Policy', rules: [{ channels: [{ channel_id: DEFAULT }] }] }, { enabled: false }],
  ['/v1/alert-silences', { reason: 'Work', duration_sec: 3_600 }, { reason: 'More work' }],
  ['/v1/alert-groups', { name: 'Shops', group_by: 'type', group_value: 'https' }, { wait_seconds: 60 }],
];

/** Records that are created with something else, by their name in the response. */
const named: Readonly<Record<string, string>> = { '/v1/webhooks': 'endpoint' };

t.test('every record that an API key can create shows whether a test key created it', async (t) => {
  const creating = routes.filter(
    ({ method, auth, replies }) =>
      method === 'POST' && 201 in replies && auth.kind === 'scope' && auth.scope !== 'account',
  );
  t.strictSame(new Set(creating.map(({ path }) => path)), new Set(records.map(([path]) => path)));
  for (const { path, replies } of creating) {
    const { properties } = replies[201] as TObject;
    const name = named[path];
    t.hasProp(name === undefined ? properties : (properties[name] as TObject).properties, 'is_test', path);
  }
});

t.test('is_test is shown when a record is created, read, listed and changed', async (t) => {
  const { api, controlPlane } = await startStack(t);
  await CheckingNode.join(t, api);
  const grantor = asUser(api.userId);
  for (const type of ['test', 'production'] as const) {
    const request = {
      name: type,
      type,
      scopes: ['monitor:read', 'monitor:write', 'alert:read', 'alert:write'] as const,
    };
    const { key: as } = await controlPlane.services.tokens.apiKeys.create(
      grantor,
      { ...request, scopes: [...request.scopes] },
      program,
    );
    const is_test = type === 'test';
    for (const [path, fields, change] of records) {
      const own = 'name' in fields ? { ...fields, name: `${fields.name} ${type}` } : fields;
      const body = JSON.parse(JSON.stringify(own).replace(DEFAULT, `ch_${api.userId.slice(2)}`));
      const made = await api.call('POST', path, { body, as });
      const record = made.body.data?.[named[path] ?? ''] ?? made.body.data;
      t.match([made.status, record?.is_test], [201, is_test], `POST ${path}`);
      const { id } = record;
      t.equal((await api.call('GET', `${path}/${id}`, { as })).body.data.is_test, is_test, `GET ${path}/{id}`);
      t.equal((await api.call('PATCH', `${path}/${id}`, { body: change, as })).body.data.is_test, is_test);
      const { items } = (await api.call('GET', path, { as })).body.data;
      t.equal(items.find((item: { id: string }) => item.id === id).is_test, is_test, `GET ${path}`);
    }
  }
});
