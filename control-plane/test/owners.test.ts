import { rounds } from '@vantage/shared/_support/rounds.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import type { AnyRoute } from '../src/http/route.js';
import { routes } from '../src/wiring/modules.js';
import { aHeartbeat } from './_support/heartbeats.js';
import { asUser } from './_support/owners.js';
import { seededRandom } from './_support/seeded-random.js';
import { createUserApi, type Stack, startStack, type TestApi } from './_support/stack.js';
import { insertMonitor } from './_support/stored-monitor.js';
import { insertNode } from './_support/stored-node.js';
import { insertWebhookDelivery } from './_support/stored-webhook.js';

const SEED = 16;
const STEPS = 60;

/** Resources of one owner by their path, and every text that only the owner may read. */
interface Holdings {
  readonly api: TestApi;
  /** A token of the account, a live key and a test key. */
  readonly tokens: readonly string[];
  readonly testKey: string;
  readonly ids: Map<string, string[]>;
  readonly texts: string[];
}

/** Tables whose rows appear in lists, by list; the second value: true if a test key sees only its own rows. */
const lists: Readonly<Record<string, readonly [table: string, hasTests: boolean]>> = {
  '/v1/monitors': ['monitors', true],
  '/v1/monitor-groups': ['monitor_groups', true],
  '/v1/maintenance-windows': ['maintenance_windows', true],
  '/v1/webhooks': ['webhook_endpoints', true],
  '/v1/probe/tasks': ['probe_tasks', true],
  '/v1/diagnose': ['diagnose_reports', true],
  '/v1/account/api-keys': ['api_keys', false],
  '/v1/nodes/enrollment-tokens': ['enrollment_tokens', false],
  '/v1/account/nodes': ['nodes', false],
  '/v1/alert-channels': ['alert_channels', true],
  '/v1/alert-policies': ['alert_policies', true],
  '/v1/alert-silences': ['alert_silences', true],
  '/v1/alert-groups': ['alert_groups', true],
};

type Make = (holdings: Holdings, text: string, isTest: boolean) => Promise<{ path: string; id: string }>;

/** One way to create each kind of resource; every text field holds a text of the owner's own. */
function makers({ database: { db } }: Stack): readonly Make[] {
  const post = async ({ api, testKey }: Holdings, path: string, body: object, isTest: boolean) => {
    const answer = await api.call('POST', path, { body, ...(isTest ? { as: testKey } : {}) });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return { path, id: String(answer.body.data.id) };
  };
  const times = { starts_at: '2030-01-01T00:00:00Z', ends_at: '2030-01-01T01:00:00Z' };
  return [
    (own, text, isTest) => post(own, '/v1/monitor-groups', { name: text }, isTest),
    (own, text, isTest) => post(own, '/v1/maintenance-windows', { title: text, scope_type: 'all', ...times }, isTest),
    (own, text, isTest) => post(own, '/v1/monitors', { name: text, type: 'heartbeat', tags: [text] }, isTest),
    async (own, text, isTest) => {
      const body = { url: 'http://127.0.0.1:8099/', events: ['*'], description: text };
      const made = await own.api.call('POST', '/v1/webhooks', { body, ...(isTest ? { as: own.testKey } : {}) });
      const { id } = made.body.data.endpoint;
      const ownerId = own.api.userId;
      const delivery = await insertWebhookDelivery(db, { ownerId, endpointId: id, isTest, text });
      own.ids.set('/v1/webhooks/deliveries', [...(own.ids.get('/v1/webhooks/deliveries') ?? []), delivery]);
      own.texts.push(delivery);
      return { path: '/v1/webhooks', id };
    },
    (own, text) => post(own, '/v1/account/api-keys', { name: text }, false),
    (own, text) => post(own, '/v1/account/tokens', { name: text }, false),
    (own, text) => post(own, '/v1/nodes/enrollment-tokens', { label: text }, false),
    (own, text, isTest) => {
      const body = { name: text, type: 'webhook', config: { url: 'https://hooks.example.com/' } };
      return post(own, '/v1/alert-channels', body, isTest);
    },
    async (own, text, isTest) => {
      const { id } = await post(own, '/v1/monitors', { name: `of ${text}`, type: 'heartbeat' }, isTest);
      return post(own, '/v1/alert-policies', { name: text, monitor_id: id }, isTest);
    },
    (own, text, isTest) => post(own, '/v1/alert-silences', { reason: text, duration_sec: 3_600 }, isTest),
    (own, text, isTest) => post(own, '/v1/alert-groups', { name: text, group_by: 'tag', group_value: text }, isTest),
    async ({ api: { userId } }, text, isTest) => {
      const id = newId(idPrefixes.alertDelivery);
      const channel = { channel_id: newId(idPrefixes.alertChannel), channel_name: text, type: 'webhook' };
      const about = {
        kind: 'notice',
        alert_ids: [text],
        alert_count: 1,
        message_group: text,
        thread: text,
        priority: 1,
      };
      const said = { title: text, text, message: Buffer.alloc(0), status: 'dead', created_at: new Date() };
      await db('alert_deliveries').insert({ id, owner_id: userId, is_test: isTest, ...channel, ...about, ...said });
      return { path: '/v1/alert-deliveries', id };
    },
    async ({ api: { userId } }, text) => {
      const id = await insertNode(db, {
        owner_id: userId,
        name: text,
        visibility: 'private',
        hostname: text,
        tags: [text],
      });
      return { path: '/v1/account/nodes', id };
    },
    async ({ api: { userId } }, text, isTest) => {
      const id = newId(idPrefixes.probeTask);
      const task = { id, owner_id: userId, is_test: isTest, probe_type: 'http', target: text, spec: '{}' };
      await db('probe_tasks').insert({ ...task, created_at: new Date() });
      return { path: '/v1/probe/tasks', id };
    },
    async ({ api: { userId } }, text, isTest) => {
      const id = newId(idPrefixes.diagnoseReport);
      const done = {
        status: 'failed',
        report: '{"status":"failed","overall_score":null,"sections":{},"truncated":false}',
      };
      const empty = { scope: ['ping'], node_ids: [], tasks: '{}', cost: 0, shared: false };
      const times = { created_at: new Date(), ends_at: new Date() };
      const row = { id, owner_id: userId, is_test: isTest, target: text };
      await db('diagnose_reports').insert({ ...row, ...done, ...empty, ...times });
      return { path: '/v1/diagnose', id };
    },
    async ({ api: { userId } }, text, isTest) => {
      const settings = { config: '{"port":80}', node_selection: '{"limit":3,"spread":"asn"}', tags: [text] };
      const columns = { owner_id: userId, name: text, target: text, is_test: isTest, ...settings };
      const monitor = await insertMonitor(db, [], columns);
      const id = newId(idPrefixes.monitorEvent);
      const event = { id, monitor_id: monitor.id, type: 'down', reason: text, notes: text, started_at: new Date() };
      await db('monitor_events').insert(event);
      return { path: '/v1/monitor-events', id };
    },
  ];
}

async function aHolder({ controlPlane }: Stack, name: string): Promise<Holdings> {
  const api = await createUserApi(controlPlane, `${name}@test.example`, 'user');
  const { apiKeys } = controlPlane.services.tokens;
  const live = await apiKeys.create(asUser(api.userId), { name: 'live' }, commandLine);
  const test = await apiKeys.create(asUser(api.userId), { name: 'test', type: 'test' }, commandLine);
  const texts = [api.userId, `${name}@test.example`, live.id, test.id];
  return { api, tokens: [api.token, live.key, test.key], testKey: test.key, ids: new Map(), texts };
}

/** Three owners with the resources that a random sequence of acts created for them, all of it from one seed. */
async function threeOwners(stack: Stack) {
  const random = seededRandom(SEED);
  const make = makers(stack);
  const holders = await Promise.all(['ada', 'bob', 'eve'].map((name) => aHolder(stack, name)));
  for (let step = 0; step < STEPS; step += 1) {
    // every owner has at least one of everything
    const holder =
      holders[Math.floor(step / make.length) < 3 ? Math.floor(step / make.length) : Math.floor(random() * 3)];
    const maker = make[step < 3 * make.length ? step % make.length : Math.floor(random() * make.length)];
    if (holder === undefined || maker === undefined) throw new Error('no such owner or creator');
    const text = `text${step}x${Math.floor(random() * 1e9)}`;
    const { path, id } = await maker(holder, text, random() < 0.3);
    holder.ids.set(path, [...(holder.ids.get(path) ?? []), id]);
    holder.texts.push(id, text);
  }
  await stack.controlPlane.services.nodes.directory.load();
  return holders;
}

const stack = await startStack(t);
const { controlPlane, database } = stack;
const { db } = database;
const holders = await threeOwners(stack);

const readable = routes.filter(({ method, path }) => method === 'GET' && !path.includes('{token}'));
const writable = routes.filter(({ method, path }) => method !== 'GET' && path.includes('{id}'));

/** Addresses of an operation for one resource under its path; a monitor event and its monitor share theirs. */
function addressesOf({ path }: AnyRoute, { ids }: Holdings): string[] {
  const [prefix = '', rest] = path.split('/{');
  if (rest === undefined) return [path];
  return (ids.get(prefix) ?? []).slice(0, 1).map((id) => path.replace(/\{\w+\}/, id));
}

async function ask(url: URL | string, token: string, init: RequestInit = {}) {
  const headers = { authorization: `Bearer ${token}`, ...(init.body ? { 'content-type': 'application/json' } : {}) };
  const response = await fetch(url, { ...init, headers, redirect: 'manual' });
  return { status: response.status, text: `${JSON.stringify([...response.headers])} ${await response.text()}` };
}

/** Ids and texts of the others in a response to one owner. */
function leaked(text: string, holder: Holdings, asked: string): string[] {
  return holders
    .filter((other) => other !== holder)
    .flatMap(({ texts }) => texts)
    .filter((secret) => !asked.includes(secret) && text.includes(secret));
}

t.test('no response to one owner contains an id or a text of another, for any credentials and request', async (t) => {
  let answered = 0;
  let turn = 0;
  for (const route of readable) {
    const owned = [...new Map(holders.flatMap((whose) => addressesOf(route, whose).map((path) => [path, whose])))];
    turn += 1;
    // where not everything is run, the owners are those of an operation's resource in turn
    const count = rounds(owned.length, 1);
    const first = turn % Math.max(1, owned.length - count + 1);
    for (const [path, whose] of owned.slice(first, first + count)) {
      for (const [index, holder] of holders.entries()) {
        // every owner asks for every address, and every kind of credentials is used for it
        const { status, text } = await ask(new URL(path, holder.api.url), holder.tokens[(turn + index) % 3] ?? '');
        if (status === 200) answered += 1;
        // without a database and a node of the operator, no lookup can be answered
        const isLookup = path.startsWith('/v1/info/') && status === 503;
        if (status >= 500 && !isLookup) t.fail(`${path} is ${status}: ${text}`);
        const found = leaked(text, holder, path);
        if (found.length > 0) t.fail(`${path} as ${holder.texts[1]} reveals ${found.join(', ')}`);
        if (whose !== holder && path !== route.path) t.ok(status >= 400, `${path} of another is ${status}`);
      }
    }
  }
  t.ok(answered > 80, `${answered} responses were read`);

  // resources of others are neither counted nor paged through, and no cursor leads to them
  for (const holder of holders) {
    const { api, tokens, testKey } = holder;
    for (const [path, [table, hasTests]] of Object.entries(lists)) {
      for (const token of hasTests ? tokens : [api.token]) {
        const own = token === testKey ? { owner_id: api.userId, is_test: true } : { owner_id: api.userId };
        const [row] = await db(table).where(own).count({ count: '*' });
        const { body } = await api.call('GET', path, { as: token });
        const total = body.meta?.pagination?.total ?? body.data?.total;
        t.equal(total, Number(row?.['count']), `${path} counts its own`);
      }
    }
    for (const path of ['/v1/monitor-events', '/v1/account/audit', '/v1/alert-deliveries']) {
      for (const other of holders) {
        const theirs = await other.api.call('GET', `${path}?limit=1`);
        const cursor = theirs.body.meta.pagination.next_cursor;
        const { text } = await ask(new URL(`${path}?limit=100&cursor=${cursor}`, api.url), api.token);
        t.strictSame(leaked(text, holder, ''), [], `a cursor of another for ${path}`);
      }
    }
    for (const other of holders.filter((candidate) => candidate !== holder)) {
      const [group = '', monitor = ''] = ['/v1/monitor-groups', '/v1/monitors'].map((path) => other.ids.get(path)?.[0]);
      for (const asked of [`/v1/monitors?group_id=${group}`, `/v1/monitor-events?monitor_id=${monitor}`]) {
        const { text } = await ask(new URL(asked, api.url), api.token);
        t.strictSame(leaked(text, holder, asked), [], asked);
        t.match(text, /"(items|monitors|groups|events)":\[\]|404/, `${asked} has nothing`);
      }
    }
  }
});

t.test('no act of one owner changes, or refers to, anything of another', async (t) => {
  const [ada, bob] = holders as [Holdings, Holdings, Holdings];
  const tables = [
    'monitors',
    'monitor_groups',
    'maintenance_windows',
    'monitor_events',
    'nodes',
    'api_keys',
    'webhook_endpoints',
    'alert_channels',
    'alert_policies',
    'alert_silences',
    'alert_groups',
  ];
  const stateOf = async () =>
    Promise.all(tables.map((table) => db(table).where({ owner_id: bob.api.userId }).orderBy('id').select('*')));
  const before = await stateOf();
  let asked = 0;
  for (const route of writable.filter(({ path }) => !path.startsWith('/v1/admin/'))) {
    for (const path of addressesOf(route, bob)) {
      asked += 1;
      const body = route.body === undefined ? {} : { body: JSON.stringify(route.bodyExample ?? {}) };
      const { status, text } = await ask(new URL(path, ada.api.url), ada.api.token, { method: route.method, ...body });
      t.ok(status >= 400 && status < 500, `${route.method} ${path} is ${status}`);
      t.strictSame(leaked(text, ada, path), [], path);
    }
  }
  t.ok(asked > 15, `${asked} acts were tried`);
  const paths = ['/v1/monitor-groups', '/v1/monitors', '/v1/alert-channels', '/v1/alert-policies'];
  const [group = '', monitor = '', channel = '', policy = ''] = paths.map((path) => bob.ids.get(path)?.[0]);
  const rules = [{ channels: [{ channel_id: `ch_${ada.api.userId.slice(2)}` }] }];
  const mine = await aHeartbeat(ada.api, { name: 'mine' });
  const window = { starts_at: '2030-01-01T00:00:00Z', ends_at: '2030-01-01T01:00:00Z' };
  for (const [method, path, body] of [
    ['POST', '/v1/monitors', { name: 'new', type: 'heartbeat', group_id: group }],
    ['PATCH', `/v1/monitors/${mine.id}`, { group_id: group }],
    ['POST', '/v1/maintenance-windows', { ...window, scope_type: 'group', scope_ids: [group] }],
    ['POST', '/v1/maintenance-windows', { ...window, scope_type: 'monitor', scope_ids: [monitor] }],
    ['PATCH', `/v1/monitors/${mine.id}`, { alert_policy_id: policy }],
    ['POST', '/v1/alert-policies', { name: 'new', monitor_id: monitor }],
    ['POST', '/v1/alert-policies', { name: 'new', monitor_id: mine.id, channel_ids: [channel] }],
    ['POST', '/v1/alert-policies', { name: 'new', rules, suppression: { depends_on: [monitor] } }],
    ['POST', '/v1/alert-silences', { reason: 'new', duration_sec: 60, monitor_id: monitor }],
    ['POST', '/v1/alert-silences', { reason: 'new', duration_sec: 60, scope_type: 'group', scope_ids: [group] }],
  ] as const) {
    const { status, text } = await ask(new URL(path, ada.api.url), ada.api.token, {
      method,
      body: JSON.stringify(body),
    });
    t.ok(status >= 400 && status < 500, `${method} ${path} is ${status}`);
    t.strictSame(leaked(text, ada, JSON.stringify(body)), [], path);
  }
  t.strictSame(await stateOf(), before);
});

t.test('the database refuses a reference from one owner to a row of another', async (t) => {
  const [ada, bob] = holders as [Holdings, Holdings, Holdings];
  const idOf = ({ ids }: Holdings, path: string) => ids.get(path)?.[0] ?? '';
  const refused = { code: '23503' };
  const group_id = idOf(bob, '/v1/monitor-groups');
  await t.rejects(db('monitors').where({ owner_id: ada.api.userId }).update({ group_id }), refused);
  const alert_policy_id = idOf(bob, '/v1/alert-policies');
  await t.rejects(db('monitors').where({ owner_id: ada.api.userId }).update({ alert_policy_id }), refused);
  const ofBob = { monitor_id: idOf(bob, '/v1/monitors') };
  await t.rejects(
    db('alert_policies')
      .where({ id: idOf(ada, '/v1/alert-policies') })
      .update(ofBob),
    refused,
  );
  const consumed_node_id = idOf(bob, '/v1/account/nodes');
  await t.rejects(db('enrollment_tokens').where({ owner_id: ada.api.userId }).update({ consumed_node_id }), refused);
  const { id: monitor_id } = await insertMonitor(db, [], { owner_id: ada.api.userId });
  const id = idOf(bob, '/v1/monitor-events');
  await t.rejects(db('monitor_events').where({ id }).update({ monitor_id }), refused);
});

/** Owned tables that keep rows of a deleted owner, and which rows. */
const keptOfDeleted: Readonly<Record<string, readonly [left: string, reason: string]>> = {
  api_keys: [
    'revoked_at IS NULL',
    'a revoked key is listed for 90 days, and distinguished from one that never existed',
  ],
  nodes: ['deleted_at IS NULL', 'results of a deleted node name it'],
  probe_tasks: ['false', 'results stay for 7 days'],
  outbox: ['false', 'events are deleted once they are delivered'],
  audit_log: ['false', 'the log of an account outlives it'],
};

t.test('a deleted account leaves only the listed rows, and nothing of others is deleted', async (t) => {
  const [ada, ...others] = holders as [Holdings, Holdings, Holdings];
  const { rows } = await db.raw<{ rows: { table: string; column: string }[] }>(
    `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns JOIN pg_class c ON c.relname = table_name
     WHERE table_schema = 'public' AND column_name IN ('owner_id', 'account_id') AND NOT c.relispartition`,
  );
  const countOf = async ({ table, column }: (typeof rows)[number], { api }: Holdings, left = 'true') =>
    (
      await db(table)
        .where({ [column]: api.userId })
        .whereRaw(left)
    ).length;
  const before = await Promise.all(rows.map((row) => Promise.all(others.map((other) => countOf(row, other)))));
  t.ok(rows.length >= 10, `${rows.length} owned tables`);
  await controlPlane.services.accounts.users.delete(ada.api.userId, commandLine);
  for (const row of rows) t.equal(await countOf(row, ada, keptOfDeleted[row.table]?.[0]), 0, row.table);
  t.strictSame(await Promise.all(rows.map((row) => Promise.all(others.map((other) => countOf(row, other))))), before);
});
