import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { readRunningFile } from 'vantage-control/db/embedded/running-file.js';
import { type BenchOptions, type Part, type Stops, say, sized, tableText } from './harness.js';
import { closedLoop, type Load, LoadClient } from './load.js';
import { ControlPlane, startServer, UNREACHED } from './programs.js';
import { type Figure, figureOf, figureText, msOf } from './statistics.js';
import { measureValidation } from './validation.js';

const SECONDS = sized(3, 0.1);
const IN_FLIGHT = 16;
const STORED = sized(10_000, 10);
const LOGINS = sized(100, 2);
const password = 'correct horse battery staple';
const profile = '/v1/account/profile';
const BASELINE = 'baseline: bare Koa, one prepared SELECT';
/** Lists of an account, with the body of their items; null if the account has some from the start, or none. */
const lists: readonly (readonly [string, ((number: number) => object) | null])[] = [
  ['/v1/monitors', (n) => ({ name: `monitor ${n}`, type: 'heartbeat' })],
  ['/v1/monitor-groups', (n) => ({ name: `group ${n}` })],
  ['/v1/alert-groups', (n) => ({ name: `group ${n}`, group_by: 'tag', group_value: `tag${n}` })],
  ['/v1/alert-channels', null],
  ['/v1/alert-policies', null],
  ['/v1/alert-events?status=firing', null],
  ['/v1/monitor-events?type=down', null],
  ['/v1/webhooks', null],
  ['/v1/account/api-keys', null],
  ['/v1/account/nodes', null],
  ['/v1/account/audit', null],
];
const ITEMS = 15;

/** Cost of the frame of the API: credentials, limits, validation, and many stored credentials. */
export const api: Part = {
  name: 'api',
  question: 'What do credentials, limits and validation cost a request?',
  title: 'reads, with and without limits, and lists of an account',
  method: ({ rounds }) =>
    `${rounds} rounds of ${SECONDS} s after 1 s of warm-up, in turns; one control plane with embedded PostgreSQL (fsync on), the load generator on the same cores. All but the API key read \`GET ${profile}\`; the key reads \`GET /v1/probe/tasks\``,
  async run({ rounds }: BenchOptions, stops) {
    const stack = await startStack(stops);
    const single = await measure(stack.callers, 1, rounds);
    const many = await measure(stack.callers, IN_FLIGHT, rounds);
    const listed = await measure(stack.readers, IN_FLIGHT, rounds);
    say(`storing ${STORED} sessions and keys`);
    const keyAlone = { 'API key': stack.callers['API key'] as Caller };
    const before = await measure(keyAlone, IN_FLIGHT, rounds);
    await storeCredentials(stack.database, STORED);
    const after = await measure(keyAlone, IN_FLIGHT, rounds);
    const logins = await measureLogins(stack);
    return reportText({ single, many, listed, logins, before, after, validation: measureValidation(rounds) });
  },
};

interface Caller {
  readonly client: LoadClient;
  readonly path: string;
}

/** Callers by name; the load of each is measured in turn so that all see the same machine. */
type Callers = Readonly<Record<string, Caller>>;

interface Stack {
  readonly url: string;
  readonly database: pg.Client;
  readonly callers: Callers;
  /** One account that reads its lists. */
  readonly readers: Callers;
}

async function startStack(stops: Stops): Promise<Stack> {
  const directory = await mkdtemp(join(tmpdir(), 'vantage-bench-'));
  stops.push(() => rm(directory, { recursive: true, force: true }));
  say('starting the control plane');
  const server = new ControlPlane({
    VANTAGE_DATA_DIR: directory,
    VANTAGE_TRUSTED_PROXIES: '127.0.0.1/32',
    VANTAGE_PLANS: JSON.stringify({ pro: { requests_per_minute: UNREACHED } }),
  });
  await server.start();
  stops.push(() => server.stop());
  const { url } = server;
  for (const name of ['free', 'limited']) await server.run('user', 'create', '--email', `${name}@example.com`);
  await server.run('user', 'set-plan', '--email', 'limited@example.com', '--plan', 'pro');
  const token = (name: string) => server.run('token', 'create', '--user', `${name}@example.com`);
  const [free, limited] = [await token('free'), await token('limited')];
  const databaseUrl = (await readRunningFile(directory))?.url ?? '';
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  stops.push(() => database.end());
  const koa = await startServer('select', stops, { DATABASE_URL: databaseUrl });
  const { session, key, userId } = await signUp(url, database);
  const client = (target: string, credential: string | null) => {
    const made = new LoadClient(target, IN_FLIGHT, credential);
    stops.push(() => made.close());
    return made;
  };
  const baseline = { client: client(koa.url, null), path: `/${userId}` };
  const callers: Callers = {
    [BASELINE]: baseline,
    'personal access token, no limit': { client: client(url, free), path: profile },
    'personal access token, with a limit': { client: client(url, limited), path: profile },
    'access token (JWT)': { client: client(url, session), path: profile },
    'API key': { client: client(url, key), path: '/v1/probe/tasks' },
  };
  const reader = client(url, session);
  for (const [path, itemOf] of lists)
    for (let number = 1; itemOf !== null && number <= ITEMS; number += 1) await reader.post(path, itemOf(number));
  const readers = Object.fromEntries(lists.map(([path]) => [path, { client: reader, path }]));
  return { url, database, callers, readers: { [BASELINE]: baseline, ...readers } };
}

/** A session and an API key of a fresh account without limits. */
async function signUp(url: string, database: pg.Client): Promise<{ session: string; key: string; userId: string }> {
  const anonymous = new LoadClient(url, 1);
  const registered = (await anonymous.post('/v1/auth/register', { email: 'ada@example.com', password })) as {
    data: { access_token: string; user_id: string };
  };
  await anonymous.close();
  const { access_token: session, user_id: userId } = registered.data;
  await database.query(`UPDATE owners SET plan = 'unlimited' WHERE id = $1`, [userId]);
  await database.query('UPDATE users SET email_verified_at = now(), proven_at = now() WHERE id = $1', [userId]);
  // a user that was read is cached for half a second
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const own = new LoadClient(url, 1, session);
  const made = (await own.post('/v1/account/api-keys', { name: 'bench' })) as { data: { key: string } };
  await own.close();
  return { session, userId, key: made.data.key };
}

type Loads = Readonly<Record<string, { readonly p50: Figure; readonly perSecond: Figure }>>;

async function measure(callers: Callers, inFlight: number, rounds: number): Promise<Loads> {
  const loads = new Map<string, Load[]>(Object.keys(callers).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    say(`${inFlight} in flight, round ${round + 1} of ${rounds}`);
    for (const [name, { client, path }] of Object.entries(callers))
      loads.get(name)?.push(await closedLoop(() => client.get(path), inFlight, SECONDS));
  }
  const figures = [...loads].map(([name, all]) => {
    return [name, { p50: figureOf(all.map((l) => l.p50)), perSecond: figureOf(all.map((l) => l.perSecond)) }] as const;
  });
  return Object.fromEntries(figures);
}

/** Stores `count` more sessions and API keys, spread over as many users; none of them opens anything. */
async function storeCredentials(database: pg.Client, count: number): Promise<void> {
  const id = (prefix: string) => `'${prefix}' || lpad(i::text, 22, '0')`;
  await database.query(
    `WITH owner AS (
       INSERT INTO owners (id, kind, plan) SELECT ${id('u_')}, 'user', 'free' FROM generate_series(1, $1::int) AS i
     )
     INSERT INTO users (id, email, role)
     SELECT ${id('u_')}, 'user' || i || '@example.com', 'user' FROM generate_series(1, $1::int) AS i`,
    [count],
  );
  await database.query(
    `INSERT INTO sessions (id, user_id, methods, address, created_at, last_used_at, expires_at)
     SELECT ${id('ses_')}, ${id('u_')}, '{password}', '192.0.2.1', now(), now(), now() + interval '30 days'
     FROM generate_series(1, $1::int) AS i`,
    [count],
  );
  await database.query(
    `INSERT INTO api_keys (id, token_id, secret_hash, owner_id, created_by, name, type, scopes, created_at)
     SELECT ${id('key_')}, lpad(i::text, 12, '0'), sha256(i::text::bytea), ${id('u_')}, ${id('u_')}, 'bench', 'production', '{read}', now()
     FROM generate_series(1, $1::int) AS i`,
    [count],
  );
  await database.query('ANALYZE');
}

type Logins = Readonly<Record<'known' | 'unknown', Figure>>;

/** Milliseconds of a wrong password, for accounts that exist and for none, each from an address of its own. */
async function measureLogins({ url, database }: Stack): Promise<Logins> {
  say('wrong passwords');
  await database.query(
    `UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE email = 'ada@example.com')
     WHERE email LIKE 'user%'`,
  );
  const client = new LoadClient(url, 1);
  const attempt = (user: string, address: string) =>
    msOf(() => {
      const body = { email: `${user}@example.com`, password: 'wrong horse' };
      return client.post('/v1/auth/login', body, { 'x-forwarded-for': address });
    });
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let n = 1; n <= LOGINS; n += 1) {
    times.known.push(await attempt(`user${n}`, `198.18.0.${n}`));
    times.unknown.push(await attempt(`nobody${n}`, `198.18.1.${n}`));
  }
  await client.close();
  return { known: figureOf(times.known), unknown: figureOf(times.unknown) };
}

interface Measured extends Readonly<Record<'single' | 'many' | 'listed' | 'before' | 'after', Loads>> {
  readonly logins: Logins;
  readonly validation: Figure;
}

function reportText({ single, many, listed, before, after, logins, validation }: Measured): string {
  const rate = (loads: Loads, name: string) => loads[name]?.perSecond.median ?? Number.NaN;
  const rateCells = (loads: Loads, name: string) => [
    figureText(loads[name]?.perSecond as Figure, 0),
    (rate(loads, name) / rate(loads, BASELINE)).toFixed(2),
  ];
  const callers = Object.entries(single).map(([name, { p50 }]) => [name, figureText(p50), ...rateCells(many, name)]);
  const limited = rate(many, 'personal access token, with a limit') / rate(many, 'personal access token, no limit');
  const stored = rate(after, 'API key') / rate(before, 'API key');
  const perSecond = `${IN_FLIGHT} in flight, requests/s`;
  return `${tableText(['caller', 'one at a time, p50 ms', perSecond, 'ratio to the baseline'], callers)}

Lists of an account with ${ITEMS} monitors, groups and alert groups, the default channel and policy, one key, and no node, webhook or event:

${tableText(
  ['list', perSecond, 'ratio to the baseline'],
  Object.keys(listed).map((name) => [name, ...rateCells(listed, name)]),
)}

${tableText(
  ['figure', 'value', 'goal'],
  [
    ['authenticated GET / baseline', rateCells(many, 'personal access token, no limit')[1] ?? '', 'at least 0.8'],
    ['with a limit / without', limited.toFixed(2), 'at least 0.85'],
    [`with ${STORED} more sessions and keys / without`, stored.toFixed(2), '0.95 to 1.05'],
    ['validation of a body of ten fields, us', figureText(validation), 'below 20'],
    ['wrong password, the account exists, ms', figureText(logins.known, 1), 'the same as'],
    ['wrong password, no such account, ms', figureText(logins.unknown, 1), 'the one above'],
  ],
)}`;
}
