import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { CheckingNode } from './_support/checking-node.js';
import { exportOf, importFile } from './_support/import-file.js';
import { createUserApi, startStack, type TestApi } from './_support/stack.js';
import { testdata } from './_support/testdata.js';

type Listed = { name: string; index: number };
const names = (list: Listed[]) => list.map(({ name }) => name);

const plans = {
  anonymous: { requests_per_minute: null },
  pro: { monitors: 5, min_interval_s: 60, requests_per_minute: null },
};
const { controlPlane, database, api: admin } = await startStack(t, { VANTAGE_PLANS: JSON.stringify(plans) });
const { db } = database;
const node = await CheckingNode.join(t, admin);

/** An account of its own, what is stored of it, and the number of its records of an action. */
async function anAccount(name: string, role: 'user' | 'admin' = 'admin') {
  const api = await createUserApi(controlPlane, `${name}@test.example`, role);
  const own = (table: string) => db(table).where({ owner_id: api.userId });
  return {
    api,
    own,
    stored: async () => own('monitors').orderBy('name').select('name', 'target', 'status'),
    recorded: async (action: string) => (await db('audit_log').where({ action, account_id: api.userId })).length,
  };
}

async function get(api: TestApi, id: string) {
  return (await api.call('GET', `/v1/monitors/${id}`)).body.data;
}

t.test('a backup of Uptime Kuma becomes monitors; each entry is in one list, and the others are named', async (t) => {
  const { api, own, recorded } = await anAccount('kuma');
  const file = testdata('monitors/uptime-kuma-1.23.json');
  const { status, report } = await importFile(api, file);
  t.equal(status, 200);
  t.match(report, { format: 'uptime-kuma', format_guessed: true, mode: 'skip', dry_run: false, total: 13 });
  t.same(names(report.created), ['Shop', 'Old page', 'API version', 'Postgres port', 'Router', 'Zone', 'Backup job']);
  t.match(report.skipped, [{ index: 13, name: 'Shop', id: null, message: /^entry 1 of the file/ }]);
  t.match(report.failed, [
    {
      index: 8,
      name: 'Cache',
      code: 'VALIDATION_FAILED',
      field: 'type',
      problem: 'not_supported',
      message: 'type "redis" of Uptime Kuma is not supported',
    },
    { index: 9, name: 'Container', field: 'type' },
    { index: 10, name: 'Counter-Strike', field: 'type' },
    { index: 11, name: 'Intranet', field: 'authMethod' },
    { index: 12, name: 'Sums', field: 'jsonPath' },
  ]);
  const warning = (field: string) => report.warnings.find((one: { field: string }) => one.field === field);
  t.match(warning('proxyList'), { indexes: [] });
  t.match(warning('maxredirects'), { indexes: [1] });
  t.same(
    report.warnings
      .filter(({ field }: { field: string }) => field === 'interval')
      .map(({ message }: { message: string }) => message),
    ['20 s was changed to 30 s: the next longer interval', '86400 s was changed to 1800 s, the longest interval'],
  );
  const [shop, old] = [await get(api, report.created[0].id), await get(api, report.created[1].id)];
  t.match(shop, { type: 'https', tags: ['critical', 'region:eu'], trigger_rule: { consecutive_fail: 3 } });
  t.match(shop.config, { auth: { username: 'ada', password: '********' }, headers: { 'X-Api-Key': '********' } });
  t.match(old, {
    status: 'paused',
    assigned_node_ids: [],
    interval_s: 30,
    config: { upside_down: true, mode: 'absent' },
  });
  t.match(await own('monitor_groups').select('name', 'id'), [{ name: 'Production', id: shop.group_id }]);
  t.equal(old.group_id, shop.group_id);
  t.equal(await recorded('monitor.created'), 7);
  t.equal(await recorded('monitor_group.created'), 1);
});

t.test('a configuration of Gatus in YAML, with anchors and merge keys, becomes monitors', async (t) => {
  const { api } = await anAccount('gatus');
  const { status, report } = await importFile(api, testdata('monitors/gatus.yaml'), '', 'application/yaml');
  t.equal(status, 200);
  t.equal(report.format, 'gatus');
  const made = [
    'front-end',
    'back-end',
    'dns',
    'ping',
    'closed',
    'bastion',
    'certificate',
    'staging / api',
    'production / api',
    'nightly',
  ];
  t.same(names(report.created), made);
  t.same(names(report.failed), ['socket', 'secret', 'bad interval', 'pushed']);
  t.match(await get(api, report.created[0].id), {
    interval_s: 300,
    trigger_rule: { consecutive_fail: 4, consecutive_ok: 3 },
    config: { headers: { Authorization: '********' } },
  });
});

t.test('imported monitors are assigned to nodes like any other', async (t) => {
  const { api } = await anAccount('assigned');
  const { report } = await importFile(api, exportOf({ name: 'A' }));
  t.match((await node.waitForAssignment(report.created[0].id)).spec, { type: 'tcp', target: '127.0.0.1:9' });
});

t.test('an imported heartbeat has a working token of its own; a paused one has no deadline', async (t) => {
  const { api } = await anAccount('heartbeats');
  const push = { id: 1, name: 'Job', type: 'push', interval: 60, active: true, pushToken: 'theirs' };
  const paused = { ...push, id: 2, name: 'Old job', active: false };
  const { created } = (await importFile(api, { monitorList: [push, paused] })).report;
  const [job, old] = await Promise.all(created.map(({ id }: { id: string }) => get(api, id)));
  t.match(job, { type: 'heartbeat', status: 'active', heartbeat: { state: 'new' } });
  t.match(old, { status: 'paused', heartbeat: { state: 'paused' } });
  t.equal((await fetch(created[0].heartbeat.url)).status, 200);
  t.match(await get(api, created[0].id), { heartbeat: { state: 'up' } });
});

t.test('an existing name is skipped, renamed, or replaced with its id, history and secrets kept', async (t) => {
  const { api, stored } = await anAccount('names');
  const file = exportOf({ name: 'A' }, { name: 'B' });
  const first = (await importFile(api, file)).report;
  const [{ id }] = first.created;
  const other = exportOf({ name: ' A ', target: '127.0.0.1:10' });
  t.match((await importFile(api, other)).report, { created: [], skipped: [{ index: 0, name: 'A', id }] });
  t.match((await importFile(api, other, 'mode=rename')).report.renamed, [
    { name: 'A (2)', renamed_from: 'A', id: /^m_/ },
  ]);
  t.match((await importFile(api, other, 'mode=rename')).report.renamed, [{ name: 'A (3)' }]);
  t.match((await importFile(api, other, 'mode=replace')).report, { created: [], replaced: [{ name: 'A', id }] });
  t.match(await get(api, id), { target: '127.0.0.1:10', created_at: String });
  t.same((await stored()).length, 4);
  const type = { type: 'dns', target: 'example.com' };
  t.match((await importFile(api, exportOf({ name: 'A', ...type }), 'mode=replace')).report.failed, [
    { field: 'type', problem: 'conflict' },
  ]);
});

t.test('an export imported into its own account changes nothing, in every mode but rename', async (t) => {
  const { api, own } = await anAccount('again');
  const config = { auth: { type: 'basic', username: 'ada', password: 'lovelace' }, headers: { 'X-Api-Key': 'k-123' } };
  const shop = { name: 'Shop', type: 'https', target: 'https://127.0.0.1/', config };
  const job = { name: 'Job', type: 'heartbeat', target: '', config: { interval_s: 600 } };
  await importFile(api, exportOf({ ...shop, group: 'Web' }, { name: 'Port' }, job));
  const exported = async () => (await api.call('GET', '/v1/monitors/export')).body.data;
  const file = await exported();
  t.match((await importFile(api, file)).report, { skipped: { length: 3 }, created: [], failed: [] });
  const [secrets] = await own('monitors').where({ name: 'Shop' }).pluck('config');
  t.match((await importFile(api, file, 'mode=replace')).report, { replaced: { length: 3 }, failed: [], warnings: [] });
  const { monitors } = await exported();
  t.same(monitors, file.monitors);
  t.same((await own('monitors').where({ name: 'Shop' }).pluck('config'))[0], secrets);
  const { config: sealed } = (await api.call('GET', '/v1/monitors?q=Shop')).body.data.items[0];
  t.match(sealed, { auth: { password: '********' } }, 'the password is unchanged');
  const { failed } = (await importFile(api, file, 'mode=rename')).report;
  t.match(failed, [
    { name: 'Shop', field: 'config.auth.password', problem: 'required', message: /exports do not contain/ },
  ]);
});

t.test('of entries with one name in a file the first counts, as the mode says', async (t) => {
  const { api } = await anAccount('twice');
  const file = exportOf({ name: 'A' }, { name: 'A' }, { name: 'A' });
  t.match((await importFile(api, file, 'mode=replace&dry_run=true')).report, {
    created: [{ index: 0 }],
    failed: [{ index: 1, field: 'name', problem: 'conflict', message: /entry 0 of the file/ }, { index: 2 }],
  });
  t.match((await importFile(api, file, 'mode=rename')).report, {
    created: [{ name: 'A' }],
    renamed: [{ name: 'A (2)' }, { name: 'A (3)' }],
  });
});

t.test('the plan limits the number of monitors and their intervals', async (t) => {
  const { api: user, own } = await anAccount('free', 'user');
  await db('owners').where({ id: user.userId }).update({ plan: 'free' });
  const file = exportOf(...Array.from({ length: 12 }, (_, i) => ({ name: `M${i}`, interval_s: 10 + i })));
  const dry = (await importFile(user, file, 'dry_run=true')).report;
  const { report } = await importFile(user, file);
  t.equal(report.created.length, 10);
  t.same(dry.failed, report.failed);
  t.match(report.failed, [{ index: 10, code: 'MONITOR_LIMIT_EXCEEDED', field: 'monitors' }, { index: 11 }]);
  t.match(report.warnings[0], {
    field: 'interval',
    message: '10 s was changed to 60 s: the plan allows at least 60 s',
  });
  t.same(await own('monitors').distinct('interval_s'), [{ interval_s: 60 }]);
  t.equal((await importFile(admin, file)).report.created.length, 12);
});

t.test('an invalid file is refused with the error and its place, and none of it is imported', async (t) => {
  const { api, stored } = await anAccount('invalid');
  const json = JSON.stringify(exportOf({ name: 'A' }, { name: 'B' }));
  const deep = `${'['.repeat(40)}${']'.repeat(40)}`;
  // more of them, each of which takes a thread here: file/parse-file.test.ts
  const cases: readonly [why: string, file: string, code: string, field: string, message: RegExp][] = [
    ['truncated YAML', 'endpoints:\n  - name: "a', 'REQUEST_BODY_INVALID', 'body', /line 2, column \d+/],
    ['deep JSON', `{"kind":${deep}}`, 'REQUEST_BODY_INVALID', 'body', /deeper than 32/],
    ['a list', '[]', 'VALIDATION_FAILED', 'body', /must be an object/],
    ['nothing known', '{"a":1}', 'VALIDATION_FAILED', 'format', /vantage, uptime-kuma, gatus/],
    [
      'another version',
      '{"kind":"vantage.monitors","version":2,"monitors":[]}',
      'VALIDATION_FAILED',
      'version',
      /must be 1/,
    ],
    ['no monitors', '{"kind":"vantage.monitors","version":1}', 'VALIDATION_FAILED', 'monitors', /list/],
    [
      'a key that is a prototype',
      '{"kind":"vantage.monitors","version":1,"monitors":[{"__proto__":{}}]}',
      'VALIDATION_FAILED',
      'monitors.0.__proto__',
      /./,
    ],
    [
      'text that cannot be stored',
      '{"kind":"vantage.monitors","version":1,"monitors":[{"name":"\\u0000"}]}',
      'VALIDATION_FAILED',
      'monitors.0.name',
      /U\+0000/,
    ],
  ];
  for (const [why, file, code, field, message] of cases) {
    const { status, error } = await importFile(api, file, '', 'text/yaml');
    t.match(
      [status, error?.code, error?.details?.[field]?.[0]?.message],
      [400, code, message],
      `${why}: ${JSON.stringify(error)}`,
    );
  }
  t.equal((await importFile(api, 'x'.repeat(5 * 1024 * 1024 + 1))).status, 413);
  t.equal((await importFile(api, json, 'format=gatus')).status, 200, 'a named format is not detected');
  t.equal((await importFile(api, json, 'mode=merge')).status, 400);
  t.same(await stored(), []);
});

t.test('expensive regular expressions, and texts that grow when filled in, are refused or read at once', async (t) => {
  const { api } = await anAccount('expensive');
  const x = (text: string, count: number) => text.repeat(count);
  const url = 'https://example.com/';
  const endpoints = [
    { name: 'blanks', url, conditions: [`x${x(' ', 60_000)}`, `[BODY] ==${x(' ', 60_000)}x`] },
    { name: 'slashes', url: `tcp://a${x('/', 60_000)}x` },
    { name: `n${x('n', 60_000)}`, url, body: x('[ENDPOINT_NAME]', 4_000) },
  ];
  const gatus = (await importFile(api, { endpoints }, 'dry_run=true')).report;
  t.match(gatus.failed, [{ field: 'target' }, { field: 'body', problem: 'length' }]);
  t.equal(gatus.created.length, 1);
  const group = (id: number) => ({ id, name: x('g', 60_000), type: 'group', parent: id + 1 });
  const monitor = (id: number) => ({ id, name: `M${id}`, type: 'push', interval: 60, parent: 1 });
  const monitorList = [
    ...Array.from({ length: 30 }, (_, i) => group(i + 1)),
    ...Array.from({ length: 200 }, (_, i) => monitor(i + 100)),
  ];
  const kuma = (await importFile(api, { monitorList }, 'dry_run=true')).report;
  t.equal(kuma.failed.length, 200);
  t.match(kuma.failed[0], { field: 'group', problem: 'length' });
});

t.test('a wrong entry fails alone, with its field, and leaves nothing behind', async (t) => {
  const { api, stored, own } = await anAccount('wrong');
  const cases: readonly [fields: object | null, code: string, field: string][] = [
    [{ name: '' }, 'VALIDATION_FAILED', 'name'],
    [{ name: 7 }, 'VALIDATION_FAILED', 'name'],
    [{ name: 'x'.repeat(201) }, 'VALIDATION_FAILED', 'name'],
    [{ type: 'odd' }, 'VALIDATION_FAILED', 'type'],
    [{ type: 'rag' }, 'VALIDATION_FAILED', 'type'],
    [{ type: 'heartbeat', config: { interval_s: 1 } }, 'VALIDATION_FAILED', 'config.interval_s'],
    [{ target: '192.168.0.1:80' }, 'MONITOR_INVALID_TARGET', 'target'],
    [{ target: null }, 'VALIDATION_FAILED', 'target'],
    [{ interval_s: 'often' }, 'VALIDATION_FAILED', 'interval_s'],
    [{ tags: Array.from({ length: 10_000 }, (_, i) => `t${i}`) }, 'VALIDATION_FAILED', 'tags'],
    [{ tags: 'a' }, 'VALIDATION_FAILED', 'tags'],
    [{ config: [] }, 'VALIDATION_FAILED', 'config'],
    [{ config: { odd: 1 } }, 'VALIDATION_FAILED', 'config.odd'],
    [{ config: { timeout_ms: 1 } }, 'VALIDATION_FAILED', 'config.timeout_ms'],
    [{ group: 'x'.repeat(201) }, 'VALIDATION_FAILED', 'group'],
    [{ group: {} }, 'VALIDATION_FAILED', 'group'],
    [{ id: 'm_1' }, 'VALIDATION_FAILED', 'id'],
    [{ node_selection: { countries: ['AQ'] } }, 'VALIDATION_FAILED', 'node_selection'],
    [{ trigger_rule: { fail_node_quorum: '3/2' } }, 'VALIDATION_FAILED', 'trigger_rule.fail_node_quorum'],
    [{ secrets_left_out: ['auth.token'] }, 'VALIDATION_FAILED', 'config.auth.token'],
  ];
  const bad = cases.map(([fields], i) => ({ name: `bad ${i}`, group: 'Bad', ...fields }));
  const { report } = await importFile(api, exportOf(...bad, { name: 'Good' }));
  for (const [i, [fields, code, field]] of cases.entries()) {
    const { index, code: found, field: where, message } = report.failed[i];
    t.strictSame([index, found, where ?? ''], [i, code, field], `${JSON.stringify(fields).slice(0, 60)}: ${message}`);
  }
  t.same(names(report.created), ['Good']);
  t.match(await stored(), [{ name: 'Good' }]);
  t.same(await own('monitor_groups').pluck('name'), []);
});

t.test('for random files a dry run reports the same as the real import, except ids, and does nothing', async (t) => {
  const { api: user, own, stored } = await anAccount('random', 'user');
  await db('owners').where({ id: user.userId }).update({ plan: 'pro' });
  const some = (...values: unknown[]) => fc.constantFrom(...values);
  const vantage = fc
    .array(
      fc.record(
        {
          name: some('A', 'B', ' A', 'A (2)', '', 7, 'Ä'),
          type: some('tcp', 'https', 'odd', 'heartbeat', 'keyword'),
          target: some('127.0.0.1:9', 'https://example.com/', '10.0.0.1:1'),
          interval_s: some(10, 60, 61, 'x'),
          group: some('', 'G', 'H'),
          tags: some([], ['x'], 'x'),
          config: some({}, { keyword: 'x' }, { odd: 1 }, { auth: { type: 'bearer' } }),
          secrets_left_out: some([], ['auth.token'], ['headers.X-Key']),
        },
        { requiredKeys: ['name', 'type', 'target'] },
      ),
      { maxLength: 6 },
    )
    .map((monitors) => ({ kind: 'vantage.monitors', version: 1, monitors }));
  const kuma = fc
    .array(
      fc.record({
        id: fc.nat(5),
        name: some('A', 'B', 'C'),
        parent: some(null, 1, 2),
        type: some('http', 'port', 'group', 'docker', 'push'),
        url: some('https://example.com/', 'https://', 1),
        hostname: some('127.0.0.1', null),
        port: some(9, null, 'x'),
        active: some(true, false, 0),
        interval: some(20, 60, 90_000),
        maxretries: some(0, 3, 40),
      }),
      { maxLength: 6 },
    )
    .map((monitorList) => ({ monitorList }));
  const gatus = fc
    .array(
      fc.record({
        name: some('A', 'B'),
        group: some('', 'G', 'H'),
        url: some('https://example.com/', 'tcp://127.0.0.1:9', 'ws://a', '$X'),
        interval: some('60s', '1h', 5),
        conditions: some([], ['[STATUS] == 200'], ['[IP] == 1'], ['[CONNECTED] == true']),
      }),
      { maxLength: 6 },
    )
    .map((endpoints) => ({ endpoints }));
  const ofRealOnes = new Set(['id', 'heartbeat', 'dry_run']);
  const withoutIds = (report: object) =>
    JSON.parse(JSON.stringify(report, (key, value) => (ofRealOnes.has(key) ? undefined : value)));
  const files = fc.array(fc.oneof(vantage, kuma, gatus), { minLength: 1, maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(files, some('skip', 'rename', 'replace'), async (inTurn, mode) => {
      await own('monitors').delete();
      await own('monitor_groups').delete();
      for (const file of inTurn) {
        const before = await stored();
        const dry = await importFile(user, file, `mode=${mode}&dry_run=true`);
        t.same(await stored(), before, 'a dry run does nothing');
        const real = await importFile(user, file, `mode=${mode}`);
        t.same([dry.status, withoutIds(dry.report)], [real.status, withoutIds(real.report)]);
        const { created, renamed, replaced, skipped, failed, total } = real.report;
        t.equal(created.length + renamed.length + replaced.length + skipped.length + failed.length, total);
        t.equal((await stored()).length, before.length + created.length + renamed.length);
      }
    }),
    { numRuns: rounds(25) },
  );
  t.equal((await importFile(admin, exportOf({ name: 'A' }), 'dry_run=true')).report.created[0].id, null);
});
