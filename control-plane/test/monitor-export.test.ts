import t from 'tap';
import { CheckingNode } from './_support/checking-node.js';
import { importFile } from './_support/import-file.js';
import { createUserApi, startStack, type TestApi } from './_support/stack.js';

async function exported(api: TestApi, query = '') {
  const { status, body } = await api.call('GET', `/v1/monitors/export?${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.data;
}

async function make(api: TestApi, ...bodies: readonly object[]) {
  for (const body of bodies) {
    const { status, body: answer } = await api.call('POST', '/v1/monitors', { body });
    if (status !== 201) throw new Error(JSON.stringify(answer));
  }
}

const { controlPlane, database, api: admin } = await startStack(t);
await CheckingNode.join(t, admin, { asn: 1 });
const account = (name: string) => createUserApi(controlPlane, `${name}@test.example`, 'admin');

const tcp = { type: 'tcp', target: '127.0.0.1:9', interval_s: 60 };

t.test(
  'an export is sorted by name and contains the documented fields and the rule of the nodes, but no state',
  async (t) => {
    const api = await account('whole');
    t.match(await exported(api), { kind: 'vantage.monitors', version: 1, exported_at: /Z$/, count: 0, monitors: [] });
    const group = { id: 'mgr_1111111111111111111111', owner_id: api.userId, created_by: api.userId, name: 'Web' };
    await database.db('monitor_groups').insert(group);
    const config = { timeout_ms: 1_000 };
    await make(
      api,
      { name: 'Zoo', ...tcp, group_id: group.id, tags: ['B', 'a'], config, node_count: 2, notify_owner: false },
      { name: 'Ant', ...tcp, interval_s: 300, trigger_rule: { fail_node_quorum: 'any' } },
    );
    const { monitors, count } = await exported(api);
    t.equal(count, 2);
    t.strictSame(monitors[1], {
      name: 'Zoo',
      type: 'tcp',
      target: '127.0.0.1:9',
      interval_s: 60,
      node_count: 2,
      tags: ['a', 'b'],
      group: 'Web',
      config: { timeout_ms: 1_000, ip_version: 'auto', upside_down: false, assertions: [] },
      node_selection: { spread: 'asn' },
      trigger_rule: { consecutive_fail: 2, consecutive_ok: 1, fail_node_quorum: '2/3' },
      alert_severity: { down: 'critical', degraded: 'warning' },
      notify_owner: false,
    });
    t.match(monitors[0], { name: 'Ant', group: '', interval_s: 300, trigger_rule: { fail_node_quorum: 'any' } });
    await database.db('monitors').where({ name: 'Ant' }).update({ config: '{}' });
    t.notOk('config' in (await exported(api)).monitors[0], 'an empty config is left out');
  },
);

t.test('an export is filtered like the list, and contains nothing of others', async (t) => {
  const api = await account('filter');
  await make(api, { name: 'A', ...tcp, tags: ['x'] }, { name: 'B', ...tcp }, { name: 'C', ...tcp, tags: ['x'] });
  const names = async (query: string) =>
    (await exported(api, query)).monitors.map(({ name }: { name: string }) => name).join('');
  t.equal(await names('tag=X'), 'AC');
  t.equal(await names('q=b'), 'B');
  t.equal(await names('type=http'), '');
  t.equal(await names('status=active&current_status=unknown'), 'ABC');
  t.equal((await api.call('GET', '/v1/monitors/export?status=odd')).status, 400);
  const other = await createUserApi(controlPlane, 'nobody@test.example', 'user');
  t.equal((await exported(other)).count, 0);
});

t.test('an export contains no secret, and names the places of the secrets', async (t) => {
  const api = await account('secret');
  const config = {
    auth: { type: 'basic', username: 'ada', password: 'lovelace' },
    headers: { 'X.Api.Key': 'k-123', Accept: 'a/b' },
  };
  await make(api, { name: 'Shop', type: 'https', target: 'https://127.0.0.1/', config });
  const { monitors } = await exported(api);
  t.match(monitors[0], {
    secrets_left_out: ['auth.password', 'headers.X.Api.Key'],
    config: { auth: { type: 'basic', username: 'ada' }, headers: { Accept: 'a/b' } },
  });
  t.notMatch(JSON.stringify(monitors), /lovelace|k-123|\*\*\*/);
});

t.test('an export imported into another account is exported from there unchanged', async (t) => {
  const api = await account('from');
  const group = { id: 'mgr_1111111111111111111112', owner_id: api.userId, created_by: api.userId, name: 'Web' };
  await database.db('monitor_groups').insert(group);
  const assertions = [{ type: 'response_time', op: 'lt', value: 300 }];
  await make(
    api,
    { name: 'Port', ...tcp, group_id: group.id, tags: ['x'], assertions, node_selection: { spread: 'country' } },
    { name: 'Words', type: 'keyword', target: 'https://example.com/', config: { keyword: 'a' }, node_count: 7 },
    { name: 'Value', type: 'json', target: 'https://example.com/', config: { path: '$.a', value: { b: [1] } } },
    { name: 'Zone', type: 'dns', target: 'example.com', config: { record_type: 'MX', expected: ['a.example.'] } },
    { name: 'Days', type: 'ssl_expiry', target: 'example.com' },
    {
      name: 'Ünï ☃',
      ...tcp,
      trigger_rule: { consecutive_fail: 9, fail_node_quorum: 'all' },
      notify_owner: false,
      alert_severity: { down: 'info' },
    },
  );
  const [{ exported_at: _, ...before }, whole] = [await exported(api), await api.call('GET', '/v1/monitors/export')];
  const other = await createUserApi(controlPlane, 'other@test.example', 'user');
  const { report } = await importFile(other, whole.body);
  t.match([report.created.length, report.failed, report.warnings, report.format_guessed], [6, [], [], true]);
  const { exported_at: __, ...after } = await exported(other);
  t.strictSame(after, before);
});

t.test('thousands of monitors are one export', async (t) => {
  const api = await account('thousands');
  await database.db.raw(
    `INSERT INTO monitors (id, owner_id, created_by, name, type, target, interval_s, config, node_selection, node_count,
       consecutive_fail, consecutive_ok, fail_node_quorum)
     SELECT 'm_' || lpad(i::text, 22, 'a'), u.id, u.id, 'name ' || i, 'tcp', '127.0.0.1:9', 60, '{}', '{"spread": "asn"}', 3, 2, 1, '2/3'
     FROM generate_series(1, 2100) AS i, users u WHERE u.id = ?`,
    [api.userId],
  );
  await database.db.raw('INSERT INTO monitor_states (monitor_id) SELECT id FROM monitors WHERE owner_id = ?', [
    api.userId,
  ]);
  const { count, monitors } = await exported(api);
  t.equal(count, 2_100);
  t.equal(new Set(monitors.map(({ name }: { name: string }) => name)).size, 2_100);
});
