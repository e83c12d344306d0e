import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import type { ControlPlane } from '../src/control-plane.js';
import { createTestDatabase } from './_support/database.js';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import {
  type ApiAnswer,
  apiOf,
  createAdmin,
  createUserApi,
  freshSession,
  startReplica,
  type TestApi,
} from './_support/stack.js';

// Callers refused by one replica ask the other one as well, at the same moment.

const MONITORS = 10;
const NODE_TESTS = 20;
const REQUESTS = 40;
let requests = 0;

const plan = { monitors: MONITORS, node_tests_per_day: NODE_TESTS, requests_per_minute: null, nodes: 5 };
const settings = {
  VANTAGE_PLANS: JSON.stringify({
    anonymous: { requests_per_minute: null, node_tests_per_day: NODE_TESTS },
    free: plan,
    pro: { requests_per_minute: REQUESTS },
  }),
  VANTAGE_REGISTRATION: 'open',
  VANTAGE_METRICS_LISTEN: '127.0.0.1:0',
};
const database = await createTestDatabase(t);
const { db } = database;
const one = await startReplica(t, database.url, settings);
const other = await startReplica(t, database.url, { ...settings, VANTAGE_PUBLIC_URL: one.publicUrl });
const admin = await createAdmin(one);
await until('both to know each other', async () => (await db('replicas')).length === 2);

let users = 0;
async function aUser(planName = 'free'): Promise<readonly [TestApi, TestApi]> {
  users += 1;
  const api = await createUserApi(one, `user${users}@test.example`, 'user');
  await db('owners').where({ id: api.userId }).update({ plan: planName });
  await db('users').where({ id: api.userId }).update({ email_verified_at: new Date() });
  return [api, apiOf(other.listenUrl, api.token, api.userId)];
}

/** Asks both replicas in turn, all at once; returns the number of responses by status. */
async function spread(
  apis: readonly TestApi[],
  count: number,
  ask: (api: TestApi, index: number) => Promise<{ status: number }>,
): Promise<Record<number, number>> {
  requests += count;
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) => ask(apis[index % apis.length] as TestApi, index)),
  );
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

t.test('the concurrent limits of an account are shared by replicas: monitors, keys, tokens, windows', async (t) => {
  const apis = await aUser();
  const own = (path: string, bodyOf: (index: number) => object) => (api: TestApi, index: number) =>
    api.call('POST', path, { body: bodyOf(index) });
  const [starts_at, ends_at] = [1, 2].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
  const config = { interval_s: 60 };
  const caps = [
    {
      table: 'monitors',
      most: MONITORS,
      ask: own('/v1/monitors', (i) => ({ name: `m${i}`, type: 'heartbeat', config })),
    },
    { table: 'api_keys', most: 100, ask: own('/v1/account/api-keys', (i) => ({ name: `k${i}`, scopes: ['read'] })) },
    { table: 'personal_access_tokens', most: 100, ask: own('/v1/account/tokens', (i) => ({ name: `t${i}` })) },
    { table: 'enrollment_tokens', most: 5, ask: own('/v1/nodes/enrollment-tokens', () => ({})) },
    {
      table: 'maintenance_windows',
      most: 100,
      ask: own('/v1/maintenance-windows', () => ({ title: 'w', scope_type: 'all', starts_at, ends_at })),
    },
  ];
  for (const { table, most, ask } of caps) {
    const stored = async () =>
      (await db(table).where({ [table === 'personal_access_tokens' ? 'user_id' : 'owner_id']: apis[0].userId })).length;
    const before = await stored();
    // on a slow machine some wait too long for their turn: 429 too
    for (let wave = 0; wave < 4 && (await stored()) < most; wave += 1) {
      const { 201: made = 0, 422: full = 0, 429: refused = 0, ...others } = await spread(apis, most - before + 20, ask);
      t.strictSame(others, {}, table);
      t.ok(made > 0 && full + refused >= 20, table);
    }
    t.equal(await stored(), most, table);
  }
});

t.test('requests a minute and node tests a day are counted once over replicas', async (t) => {
  const pro = await aUser('pro');
  const answered = await spread(pro, 120, (api) => api.call('GET', '/v1/account/profile'));
  // a minute may end in between
  t.ok((answered[200] ?? 0) <= 2 * REQUESTS && (answered[200] ?? 0) >= REQUESTS, JSON.stringify(answered));
  const node = await aNode(t);
  const ping = (api: TestApi) => api.call('POST', '/v1/probe/ping', { body: { target: '127.0.0.1' } });
  let tests: Record<number, number> = {};
  let created = 0;
  await until('both to count together all the while', async () => {
    const before = await timesCountedAlone();
    tests = await spread(await aUser(), 60, ping);
    created += tests[202] ?? 0;
    return (await timesCountedAlone()) === before;
  });
  t.strictSame(tests, { 202: NODE_TESTS, 429: 60 - NODE_TESTS });
  await until('the jobs', () => node.jobs.length === created);
});

/** A replica counts alone if the database takes longer than 250 ms, as it may on a busy machine. */
async function timesCountedAlone(): Promise<number> {
  const texts = await Promise.all([one, other].map(async ({ metricsUrl }) => (await fetch(metricsUrl ?? '')).text()));
  return texts
    .map((text) => Number(/^vantage_limiter_fallbacks_total (\d+)$/m.exec(text)?.[1]))
    .reduce((sum, times) => sum + times);
}

/** A node on one of the replicas, which both know to be online. */
async function aNode(t: Test): Promise<PeerAgent> {
  const identity = await enrollPeer(admin);
  const node = await PeerAgent.connect(t, one.listenUrl, identity);
  await until('both to know the node', async () => {
    const online = await Promise.all([one, other].map(({ listenUrl }) => onlineAt(listenUrl)));
    return online.every((ids) => ids.includes(identity.nodeId));
  });
  return node;
}

async function onlineAt(url: string): Promise<string[]> {
  const { body } = await apiOf(url, admin.token, admin.userId).call('GET', '/v1/nodes?status=online');
  return body.data.items.map(({ id }: { id: string }) => id);
}

t.test('guesses at a password that are spread over replicas are counted together', async (t) => {
  const [api, elsewhere] = await aUser();
  const body = { email: `user${users}@test.example`, password: 'wrong horse battery staple' };
  const begunMs = performance.now();
  const answers = await spread([api, elsewhere], 24, (at) => at.call('POST', '/v1/auth/login', { as: null, body }));
  const seconds = (performance.now() - begunMs) / 1_000;
  // one more after 1 s, and after 2, 4 … s: a busy machine takes that long for all of them
  const most = 6 + Math.floor(Math.log2(seconds + 1));
  t.ok((answers[401] ?? 0) <= most, `${JSON.stringify(answers)} in ${seconds.toFixed(1)} s`);
  t.equal((answers[401] ?? 0) + (answers[429] ?? 0), 24);
});

t.test('when one refresh token is used on two replicas at once, one session lives, with one token', async (t) => {
  const body = { email: 'refreshing@test.example', password: 'correct horse battery staple' };
  const { data } = (await admin.call('POST', '/v1/auth/register', { as: null, body })).body;
  const urls = [one.listenUrl, other.listenUrl];
  const refresh = (url: string, refresh_token: string) =>
    apiOf(url, '', '').call('POST', '/v1/auth/refresh', { as: null, body: { refresh_token } });
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) => refresh(urls[i % 2] as string, data.refresh_token)),
  );
  requests += 12;
  const tokens = answers.filter(({ status }) => status === 200).map(({ body: answer }) => answer.data.refresh_token);
  t.ok(tokens.length > 0);
  const alive = [];
  // a used one ends the session: the live one is asked last
  const { rows } = await db.raw(
    'SELECT count(*)::int AS n FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email = ?',
    [body.email],
  );
  t.equal(rows[0].n, 1, 'no second session');
  for (const token of tokens) alive.push((await refresh(other.listenUrl, token)).status);
  t.ok(alive.filter((status) => status === 200).length <= 1, alive.join(' '));
});

t.test('a task created on one replica does not exist on the other for another account, in any read', async (t) => {
  await aNode(t);
  const mine = await aUser('pro');
  const strangers = await aUser('pro');
  const created = await mine[0].call('POST', '/v1/probe/ping', { body: { target: '127.0.0.1' } });
  const { task_id: id, task_ids: ids } = created.body.data;
  for (const path of [id, ...ids]) {
    for (const way of ['', '?wait=1', '/events']) {
      const answer = await strangers[1].call('GET', `/v1/probe/tasks/${path}${way}`);
      t.equal(answer.status, 404, `${path}${way}`);
    }
    t.equal((await mine[1].call('GET', `/v1/probe/tasks/${path}`)).status, 200);
  }
});

t.test('when two replicas rotate signing keys at once, valid tokens stay valid and forged ones invalid', async (t) => {
  const body = { email: 'signed@test.example', password: 'correct horse battery staple' };
  const { data } = (await admin.call('POST', '/v1/auth/register', { as: null, body })).body;
  // guesses of another test came from this network
  await db('sign_in_failures').delete();
  const keysOf = ({ services }: ControlPlane) => services.accounts.signingKeys;
  await Promise.all([one, other, one, other].map((replica) => keysOf(replica).rotate()));
  const tokenOf = ({ body: { data: signedIn, error } }: ApiAnswer) => {
    if (error) throw new Error(JSON.stringify(error));
    return signedIn.access_token as string;
  };
  const login = async (url: string) =>
    tokenOf(await apiOf(url, '', '').call('POST', '/v1/auth/login', { as: null, body }));
  const tokens = [data.access_token as string, await login(one.listenUrl), await login(other.listenUrl)];
  for (const token of tokens) {
    const [head = '', claims = '', signature = ''] = token.split('.');
    const forged = JSON.parse(Buffer.from(claims, 'base64url').toString());
    const asAdmin = Buffer.from(JSON.stringify({ ...forged, sub: admin.userId })).toString('base64url');
    for (const url of [one.listenUrl, other.listenUrl]) {
      const read = (as: string) => apiOf(url, '', '').call('GET', '/v1/account/profile', { as });
      t.equal((await read(token)).status, 200);
      t.equal((await read(`${head}.${asAdmin}.${signature}`)).status, 401);
      t.equal((await read(`${head}.${claims}.${'A'.repeat(signature.length)}`)).status, 401);
      requests += 3;
    }
  }
  t.comment(`${requests} requests in all`);
});

t.test('credentials revoked on one replica are refused on the other even if no message arrives', async (t) => {
  const gone = async (name: string, revoke: () => Promise<unknown>, ask: () => Promise<number>) => {
    t.equal(await ask(), 200, name);
    // no replica may publish: messages from here on are lost
    await db.raw(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'vantage-bus' AND datname = current_database()`);
    await revoke();
    const begunMs = performance.now();
    await until(`${name} to be refused`, async () => (await ask()) >= 401);
    t.comment(`${name}: after ${(performance.now() - begunMs).toFixed(0)} ms`);
  };
  const [api, elsewhere] = await aUser();
  const key = (await api.call('POST', '/v1/account/api-keys', { body: { name: 'k', scopes: ['read'] } })).body.data;
  const secret: string = key.key;
  const asKey = async () => (await elsewhere.call('GET', '/v1/monitors', { as: secret })).status;
  await gone('a key', () => api.call('DELETE', `/v1/account/api-keys/${key.id}`), asKey);
  const profile = async () => (await elsewhere.call('GET', '/v1/account/profile')).status;
  const as = await freshSession(one, db, api.userId);
  await gone('an account', () => api.call('DELETE', '/v1/account', { as }), profile);
});
