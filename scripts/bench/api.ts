import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { readRunningFile } from 'vantage-control/db/embedded/running-file.js';
import { Program, runToEnd } from '../demo/program.js';
import { fillWithCredentials } from './credentials.js';
import { closedLoop, type Load, LoadClient } from './load.js';
import { machineText, tableText, writeReport } from './report.js';
import { sized } from './sized.js';
import { type Figure, figureOf, figureText } from './statistics.js';
import { measureValidation } from './validation.js';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const controlScript = join(root, 'control-plane', 'bin', 'vantage-control.js');
const SECONDS = sized(3, 0.1);
const IN_FLIGHT = 16;
const STORED = sized(10_000, 10);
const LOGINS = sized(100, 2);
const password = 'correct horse battery staple';
const profile = '/v1/account/profile';
const BASELINE = 'baseline: bare Koa, one prepared SELECT';
/** Lists of an account, with the body of their items; null: the account has some from the start, or none. */
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

/** Callers by name; the load of each is measured in turn so that all see the same machine. */
interface Callers {
  readonly [name: string]: { readonly client: LoadClient; readonly path: string };
}

interface Stack {
  readonly url: string;
  readonly database: pg.Client;
  readonly databaseUrl: string;
  readonly callers: Callers;
  /** One account that reads its lists. */
  readonly readers: Callers;
}

/** Measures what the frame of the API costs: credentials, limits, validation, and many stored credentials. */
export async function benchApi({ rounds, isDryRun }: { rounds: number; isDryRun: boolean }): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'vantage-bench-'));
  const stops: (() => unknown)[] = [() => rm(directory, { recursive: true, force: true })];
  try {
    const stack = await startStack(directory, stops);
    const single = await measure(stack.callers, 1, rounds);
    const many = await measure(stack.callers, IN_FLIGHT, rounds);
    const listed = await measure(stack.readers, IN_FLIGHT, rounds);
    say(`storing ${STORED} sessions and keys`);
    const before = await measure(pick(stack.callers, ['API key']), IN_FLIGHT, rounds);
    await fillWithCredentials(stack.database, STORED);
    const after = await measure(pick(stack.callers, ['API key']), IN_FLIGHT, rounds);
    const logins = await measureLogins(stack);
    const report = reportText({
      single,
      many,
      listed,
      logins,
      before,
      after,
      validation: measureValidation(rounds),
      rounds,
    });
    process.stdout.write(`${report}\n`);
    if (!isDryRun) writeReport('api', report);
  } finally {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  }
}

async function startStack(directory: string, stops: (() => unknown)[]): Promise<Stack> {
  const environment = {
    VANTAGE_DATA_DIR: directory,
    VANTAGE_LISTEN: '127.0.0.1:0',
    VANTAGE_METRICS_LISTEN: 'off',
    VANTAGE_LOG_LEVEL: 'warn',
    VANTAGE_TRUSTED_PROXIES: '127.0.0.1/32',
    // counted as for any account, and never reached
    VANTAGE_PLANS: '{"pro": {"requests_per_minute": 1000000000}}',
  };
  const run = (...args: string[]) => runToEnd(controlScript, args, environment);
  say('starting the control plane');
  const server = new Program('serve', controlScript, ['serve'], { ...environment, VANTAGE_LOG_LEVEL: 'info' });
  stops.push(() => server.stop());
  const url = await server.waitForLine((line) =>
    line.includes('"ready"') ? (JSON.parse(line) as { url: string }).url : null,
  );
  for (const name of ['free', 'limited']) await run('user', 'create', '--email', `${name}@example.com`);
  await run('user', 'set-plan', '--email', 'limited@example.com', '--plan', 'pro');
  const token = async (name: string) => (await run('token', 'create', '--user', `${name}@example.com`)).trim();
  const [free, limited] = [await token('free'), await token('limited')];
  const databaseUrl = (await readRunningFile(directory))?.url ?? '';
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  stops.push(() => database.end());
  const { url: koaUrl, child } = await startPeer('select', databaseUrl);
  stops.push(() => child.disconnect());
  const { session, key, userId } = await signUp(url, database);
  const client = (target: string, credential: string | null) => {
    const made = new LoadClient(target, IN_FLIGHT, credential);
    stops.push(() => made.close());
    return made;
  };
  const callers: Callers = {
    [BASELINE]: { client: client(koaUrl, null), path: `/${userId}` },
    'personal access token, no limit': { client: client(url, free), path: profile },
    'personal access token, with a limit': { client: client(url, limited), path: profile },
    'access token (JWT)': { client: client(url, session), path: profile },
    'API key': { client: client(url, key), path: '/v1/probe/tasks' },
  };
  const reader = client(url, session);
  for (const [path, itemOf] of lists)
    for (let number = 1; itemOf !== null && number <= ITEMS; number += 1) await reader.post(path, itemOf(number));
  const readers = Object.fromEntries(lists.map(([path]) => [path, { client: reader, path }]));
  const koa = callers[BASELINE] as Callers[string];
  return { url, database, databaseUrl, callers, readers: { [BASELINE]: koa, ...readers } };
}

async function startPeer(name: string, databaseUrl: string): Promise<{ url: string; child: ChildProcess }> {
  const script = join(dirname(fileURLToPath(import.meta.url)), 'servers.js');
  const child = fork(script, [name], { env: { ...process.env, DATABASE_URL: databaseUrl } });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { url: `http://127.0.0.1:${port}`, child };
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
    for (const [name, { client, path }] of Object.entries(callers)) {
      loads.get(name)?.push(await closedLoop(() => client.get(path), inFlight, SECONDS));
    }
  }
  const figures = [...loads].map(([name, all]) => {
    return [name, { p50: figureOf(all.map((l) => l.p50)), perSecond: figureOf(all.map((l) => l.perSecond)) }] as const;
  });
  return Object.fromEntries(figures);
}

function pick(callers: Callers, names: readonly string[]): Callers {
  return Object.fromEntries(Object.entries(callers).filter(([name]) => names.includes(name)));
}

/** Milliseconds of a wrong password, for accounts that exist and for none, each from an address of its own. */
async function measureLogins({ url, database }: Stack): Promise<Readonly<Record<'known' | 'unknown', Figure>>> {
  say('wrong passwords');
  await database.query(
    `UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE email = 'ada@example.com')
     WHERE email LIKE 'user%'`,
  );
  const client = new LoadClient(url, 1);
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let n = 1; n <= LOGINS; n += 1) {
    for (const [name, email] of [
      ['known', `user${n}@example.com`],
      ['unknown', `nobody${n}@example.com`],
    ] as const) {
      const startedAt = performance.now();
      const from = { 'x-forwarded-for': `198.18.${name === 'known' ? 0 : 1}.${n}` };
      await client.post('/v1/auth/login', { email, password: 'wrong horse' }, from);
      times[name].push(performance.now() - startedAt);
    }
  }
  await client.close();
  return { known: figureOf(times.known), unknown: figureOf(times.unknown) };
}

function reportText(measured: {
  single: Loads;
  many: Loads;
  listed: Loads;
  before: Loads;
  after: Loads;
  logins: Readonly<Record<'known' | 'unknown', Figure>>;
  validation: Figure;
  rounds: number;
}): string {
  const { single, many, listed, before, after, logins, validation, rounds } = measured;
  const names = Object.keys(single);
  const rate = (loads: Loads, name: string) => loads[name]?.perSecond.median ?? Number.NaN;
  const row = (name: string) => [
    name,
    figureText(single[name]?.p50 as Figure),
    figureText(many[name]?.perSecond as Figure, 0),
    (rate(many, name) / rate(many, BASELINE)).toFixed(2),
  ];
  const listRow = (name: string) => [
    name,
    figureText(listed[name]?.perSecond as Figure, 0),
    (rate(listed, name) / rate(listed, BASELINE)).toFixed(2),
  ];
  const limited = rate(many, 'personal access token, with a limit') / rate(many, 'personal access token, no limit');
  const stored = rate(after, 'API key') / rate(before, 'API key');
  return `## api

${machineText()}; ${rounds} rounds of ${SECONDS} s after 1 s of warm-up, in turns; one control plane with embedded PostgreSQL (fsync on), the load
generator on the same cores. All but the API key read \`GET ${profile}\`; the key reads \`GET /v1/probe/tasks\`.

${tableText(['caller', 'one at a time, p50 ms', `${IN_FLIGHT} in flight, requests/s`, 'ratio to the baseline'], names.map(row))}

Lists of an account with ${ITEMS} monitors, groups and alert groups, the default channel and policy, one key, and no node, webhook or event:

${tableText(['list', `${IN_FLIGHT} in flight, requests/s`, 'ratio to the baseline'], Object.keys(listed).map(listRow))}

${tableText(
  ['figure', 'value', 'goal'],
  [
    ['authenticated GET / baseline', row('personal access token, no limit')[3] ?? '', 'at least 0.8'],
    ['with a limit / without', limited.toFixed(2), 'at least 0.85'],
    [`with ${STORED} more sessions and keys / without`, stored.toFixed(2), '0.95 to 1.05'],
    ['validation of a body of ten fields, us', figureText(validation), 'below 20'],
    ['wrong password, the account exists, ms', figureText(logins.known, 1), 'the same as'],
    ['wrong password, no such account, ms', figureText(logins.unknown, 1), 'the one above'],
  ],
)}
`;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
