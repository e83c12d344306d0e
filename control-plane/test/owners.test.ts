import { rounds } from '@vantage/shared/_support/rounds.js';
import t from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import type { AnyRoute } from '../src/http/route.js';
import { routes } from '../src/wiring/modules.js';
import { admitsKeys, createRow, rows, statedTables } from './_support/all-samples.js';
import { answerText } from './_support/answer-text.js';
import { aHeartbeat } from './_support/heartbeats.js';
import { asUser } from './_support/owners.js';
import { seededRandom } from './_support/seeded-random.js';
import { createUserApi, type Stack, startStack, type TestApi } from './_support/stack.js';
import { insertMonitor } from './_support/stored-monitor.js';

const SEED = 16;
const FURTHER_ROWS = 12;

/** Resources of one owner by their path, and every text that only the owner may read. */
interface Holdings {
  readonly api: TestApi;
  /** A token of the account, a live key and a test key. */
  readonly tokens: readonly string[];
  readonly testKey: string;
  readonly ids: Map<string, string[]>;
  readonly texts: string[];
}

async function aHolder({ controlPlane }: Stack, name: string): Promise<Holdings> {
  const api = await createUserApi(controlPlane, `${name}@test.example`, 'user');
  const { apiKeys } = controlPlane.services.tokens;
  const live = await apiKeys.create(asUser(api.userId), { name: 'live' }, commandLine);
  const test = await apiKeys.create(asUser(api.userId), { name: 'test', type: 'test' }, commandLine);
  const texts = [api.userId, `${name}@test.example`, live.id, test.id];
  return { api, tokens: [api.token, live.key, test.key], testKey: test.key, ids: new Map(), texts };
}

/** Rows that accounts can create; the others are those of administrators. */
const creatable = rows.filter(
  ({ create, paths: [path = ''] }) => create !== 'side effect' && !path.startsWith('/v1/admin/'),
);

/** Three owners with at least one of every row, and further ones of a random sequence of acts, all of it from one seed. */
async function threeOwners(stack: Stack) {
  const random = seededRandom(SEED);
  const holders = await Promise.all(['ada', 'bob', 'eve'].map((name) => aHolder(stack, name)));
  const one = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T;
  const each = holders.flatMap((holder) => creatable.map((row) => ({ holder, row })));
  const further = Array.from({ length: FURTHER_ROWS }, () => ({ holder: one(holders), row: one(creatable) }));
  for (const [step, { holder, row }] of [...each, ...further].entries()) {
    const { api, testKey, ids, texts } = holder;
    const text = `text${step}x${Math.floor(random() * 1e9)}`;
    const id = await createRow(stack, row, { api, text, ...(random() < 0.3 ? { testKey } : {}) });
    texts.push(text);
    if (id === null) continue;
    texts.push(id);
    for (const path of row.paths) ids.set(path, [...(ids.get(path) ?? []), id]);
  }
  await stack.controlPlane.services.nodes.directory.load();
  return holders;
}

/** Tables with a column for the id of an owner, and this column. */
async function findOwnedTables({ database: { db } }: Stack) {
  const { rows: found } = await db.raw<{ rows: { table: string; column: string }[] }>(
    `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns JOIN pg_class c ON c.relname = table_name
     WHERE table_schema = 'public' AND column_name IN ('owner_id', 'account_id') AND NOT c.relispartition`,
  );
  return found;
}

const stack = await startStack(t);
const { controlPlane, database } = stack;
const { db } = database;
const holders = await threeOwners(stack);
const owned = await findOwnedTables(stack);

t.test('every table whose rows belong to owners has a row of each of them', async (t) => {
  t.ok(owned.length >= 10, `${owned.length} owned tables`);
  const written = new Set(rows.filter(({ create }) => create === 'side effect').map(({ table }) => table));
  for (const { table, column } of owned) {
    if (!statedTables.has(table)) {
      t.fail(
        `${table}: state a row of it under rows in control-plane/src/modules/NAME/_support/samples.ts of its module`,
      );
    } else if (!written.has(table)) {
      for (const { api } of holders) t.not((await db(table).where({ [column]: api.userId })).length, 0, table);
    }
  }
});

const listsOf = (kind: 'counted' | 'by cursor') =>
  rows.filter(({ list }) => list === kind).map(({ table, paths: [path = ''] }) => ({ table, path }));

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
  return { status: response.status, text: `${JSON.stringify([...response.headers])} ${await answerText(response)}` };
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
    for (const { table, path } of listsOf('counted')) {
      for (const token of admitsKeys(`GET ${path}`) ? tokens : [api.token]) {
        const own = token === testKey ? { owner_id: api.userId, is_test: true } : { owner_id: api.userId };
        const [row] = await db(table).where(own).count({ count: '*' });
        const { body } = await api.call('GET', path, { as: token });
        const total = body.meta?.pagination?.total ?? body.data?.total;
        t.equal(total, Number(row?.['count']), `${path} counts its own`);
      }
    }
    for (const { path } of listsOf('by cursor')) {
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
  // what operations can name
  const named = rows.filter(({ paths: [path = ''], create }) => path !== '' && create !== 'side effect');
  const hasOwner = new Set(owned.filter(({ column }) => column === 'owner_id').map(({ table }) => table));
  const tables = named.map(({ table }) => table).filter((table) => hasOwner.has(table));
  t.ok(tables.length > 10, `${tables.length} tables`);
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

t.test('a deleted account leaves only the stated rows, and nothing of others is deleted', async (t) => {
  const [ada, ...others] = holders as [Holdings, Holdings, Holdings];
  const kept = new Map(rows.map(({ table, keptOfDeleted }) => [table, keptOfDeleted?.[0]]));
  const countOf = async ({ table, column }: (typeof owned)[number], { api }: Holdings, left = 'true') =>
    (
      await db(table)
        .where({ [column]: api.userId })
        .whereRaw(left)
    ).length;
  const before = await Promise.all(owned.map((row) => Promise.all(others.map((other) => countOf(row, other)))));
  await controlPlane.services.accounts.users.delete(ada.api.userId, commandLine);
  for (const row of owned) t.equal(await countOf(row, ada, kept.get(row.table)), 0, row.table);
  t.strictSame(await Promise.all(owned.map((row) => Promise.all(others.map((other) => countOf(row, other))))), before);
});
