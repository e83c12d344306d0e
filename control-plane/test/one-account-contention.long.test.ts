import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { until } from '@vantage/shared/_support/until.js';
import type { Knex } from 'knex';
import t, { type Test } from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { openDatabase } from '../src/db/database.js';
import { isUnavailable } from '../src/db/unavailable.js';
import { ApiError } from '../src/http/errors.js';
import { aHeartbeat } from './_support/heartbeats.js';
import { enrollBody } from './_support/peer-agent.js';
import { createUserApi, freshSession, startStack, type TestApi } from './_support/stack.js';

// One account, or many addresses that ask for one row, send as much as they can while another session has locked the
// row; other accounts are served meanwhile. A pool of 12 connections would be empty at the twelfth.

const POOL_SIZE = 12;
const LEFT_TO_OTHERS = 4;
const WRITES = 200;

const plans = JSON.stringify({
  anonymous: { requests_per_minute: null, node_tests_per_day: null },
  free: { requests_per_minute: null, nodes: 1_000, monitors: 1_000 },
});
const {
  api: admin,
  controlPlane,
  database,
} = await startStack(t, {
  VANTAGE_PLANS: plans,
  VANTAGE_TRUSTED_PROXIES: '127.0.0.1',
});
const { db, url: databaseUrl } = database;
const other = await createUserApi(controlPlane, 'other@test.example', 'user');
await aHeartbeat(other);
let accounts = 0;

async function anAccount(): Promise<TestApi> {
  accounts += 1;
  const api = await createUserApi(controlPlane, `greedy${accounts}@test.example`, 'user');
  await db('users').update({ email_verified_at: new Date() });
  return api;
}

/** Number of connections of requests that wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await db.raw(`SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database()
    AND application_name = 'vantage-control' AND wait_event_type = 'Lock'`);
  return rows[0].n;
}

interface Answer {
  readonly status: number;
}

/** Erases an account at once; a deadlock that it loses is 503, as in responses. */
async function erase(userId: string): Promise<Answer> {
  try {
    await controlPlane.services.accounts.users.delete(userId, commandLine);
    return { status: 200 };
  } catch (error) {
    return { status: isUnavailable(error) ? 503 : error instanceof ApiError ? error.status : 500 };
  }
}

function tally(answers: readonly Answer[]): string {
  const counts = new Map<number, number>();
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  return JSON.stringify(Object.fromEntries(counts));
}

/** Requests of another account meanwhile: reads and changes of its own. */
async function askAsOther(times: number): Promise<(Answer & { ms: number })[]> {
  const answers = [];
  for (let index = 0; index < times; index += 1) {
    const begunMs = performance.now();
    const ask =
      index % 3 === 0
        ? other.call('PATCH', '/v1/account/profile', { body: { display_name: `other ${index}` } })
        : other.call('GET', index % 3 === 1 ? '/v1/account/profile' : '/v1/monitors');
    const { status } = await ask;
    answers.push({ status, ms: performance.now() - begunMs });
  }
  return answers;
}

interface Contention {
  /** Greatest number of connections in which the writers wait. */
  readonly most: number;
  readonly lock: (trx: Knex) => Promise<unknown>;
  readonly writes: () => Promise<Answer>[];
  /** Status above 499 with which a writer may be sent away. */
  readonly refusal?: number;
}

/**
 * Sends `writes` while `lock` holds their rows, sends requests of another account, and releases the lock. Only the
 * writers wait, in `most` connections at most, and nothing fails for good.
 */
async function contend(t: Test, { most, lock, writes, refusal }: Contention): Promise<Answer[]> {
  const holder = openDatabase({ url: databaseUrl, poolSize: 1, applicationName: 'holder' });
  const trx = await holder.transaction();
  t.teardown(async () => {
    if (!trx.isCompleted()) await trx.rollback();
    await holder.destroy();
  });
  await lock(trx);
  const sent = writes();
  let answered = 0;
  const count = () => void (answered += 1);
  for (const each of sent) void each.then(count, count);
  await until('the greatest number to wait', async () => (await waiting()) >= most);
  const asked = await askAsOther(30);
  t.equal(tally(asked), '{"200":30}', 'others are answered');
  t.ok((await waiting()) <= most, `of ${sent.length} requests ${most} wait in the database`);
  // one that gave up leaves its place to the next, if there is a next one
  await until('the next to wait', async () => (await waiting()) === most || answered === sent.length);
  t.ok(most <= POOL_SIZE - LEFT_TO_OTHERS);
  await trx.rollback();
  const answers = await Promise.all(sent);
  const slowest = asked.map(({ ms }) => ms).sort((a, b) => a - b);
  t.comment(
    `others: p50 ${slowest[15]?.toFixed(0)} ms, slowest ${slowest.at(-1)?.toFixed(0)} ms; the account: ${tally(answers)}`,
  );
  t.ok(
    answers.every(({ status }) => status < 500 || status === refusal),
    'the account gets a 4xx for requests without a turn',
  );
  return answers;
}

t.test('two hundred changes of one account wait in two connections, and others are served', async (t) => {
  const greedy = await anAccount();
  const group = (await greedy.call('POST', '/v1/monitor-groups', { body: { name: 'mine' } })).body.data;
  const { id } = await aHeartbeat(greedy);
  const acts: ((index: number) => Promise<Answer>)[] = [
    (i) => greedy.call('PATCH', '/v1/account/profile', { body: { display_name: `n${i}` } }),
    (i) => greedy.call('POST', '/v1/account/api-keys', { body: { name: `n${i}`, scopes: ['read'] } }),
    (i) => greedy.call('POST', '/v1/account/tokens', { body: { name: `n${i}` } }),
    () => greedy.call('POST', '/v1/nodes/enrollment-tokens', { body: {} }),
    (i) => greedy.call('POST', '/v1/monitor-groups', { body: { name: `n${i}` } }),
    (i) => greedy.call('PATCH', `/v1/monitor-groups/${group.id}`, { body: { name: `n${i}` } }),
    (i) =>
      greedy.call('POST', '/v1/monitors', { body: { name: `n${i}`, type: 'heartbeat', config: { interval_s: 60 } } }),
    () => greedy.call('POST', `/v1/monitors/${id}/pause`),
    () => greedy.call('POST', `/v1/monitors/${id}/resume`),
    () => greedy.call('POST', `/v1/monitors/${id}/rotate-token`),
  ];
  const answers = await contend(t, {
    most: 2,
    lock: (trx) => trx.raw('SELECT FROM users WHERE id = ? FOR UPDATE', [greedy.userId]),
    writes: () => Array.from({ length: WRITES }, (_, index) => acts[index % acts.length]?.(index) as Promise<Answer>),
  });
  t.ok(answers.some(({ status }) => status < 300));
});

t.test('imports of one account hold one connection, whatever it changes meanwhile', async (t) => {
  const greedy = await anAccount();
  const monitors = [{ name: 'one', type: 'heartbeat', config: { interval_s: 60 } }];
  const file = { kind: 'vantage.monitors', version: 1, monitors };
  await contend(t, {
    most: 1,
    lock: (trx) => trx.raw('SELECT FROM users WHERE id = ? FOR UPDATE', [greedy.userId]),
    writes: () =>
      Array.from({ length: 40 }, () => greedy.call('POST', '/v1/monitors/import?mode=replace', { body: file })),
  });
});

t.test('two hundred slow reads of one account take eight connections, and leave four to others', async (t) => {
  const greedy = await anAccount();
  await contend(t, {
    most: 8,
    lock: (trx) => trx.raw('LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE'),
    writes: () => Array.from({ length: WRITES }, () => greedy.call('GET', '/v1/account/api-keys')),
  });
});

t.test('agents from fifty addresses that enroll for one owner wait in two connections', async (t) => {
  const greedy = await anAccount();
  const tokens: string[] = [];
  for (let index = 0; index < 50; index += 1)
    tokens.push((await greedy.call('POST', '/v1/nodes/enrollment-tokens', { body: {} })).body.data.token);
  await contend(t, {
    most: 2,
    lock: (trx) => trx.raw('SELECT FROM users WHERE id = ? FOR UPDATE', [greedy.userId]),
    writes: () =>
      tokens.map((token, index) =>
        admin.call('POST', '/v1/nodes/enroll', {
          as: null,
          body: enrollBody(token, generateKeyPairSync('ed25519').privateKey, admin.url),
          headers: { 'x-forwarded-for': `198.18.${index}.1` },
        }),
      ),
  });
});

t.test('guesses at one account from twenty addresses wait in one connection', async (t) => {
  const guess = (index: number) =>
    admin.call('POST', '/v1/auth/login', {
      as: null,
      body: { email: 'victim@test.example', password: `guess number ${index}` },
      headers: { 'x-forwarded-for': `198.19.${index}.1` },
    });
  await guess(0);
  await contend(t, {
    most: 1,
    lock: (trx) => trx('sign_in_failures').forUpdate().select('*'),
    writes: () => Array.from({ length: 20 }, (_, index) => guess(index + 1)),
  });
});

t.test('check-ins with one token from two hundred addresses wait in one connection', async (t) => {
  const greedy = await anAccount();
  const { id, heartbeat } = await aHeartbeat(greedy);
  const ping = (index: number): Promise<Answer> =>
    fetch(heartbeat.url, {
      method: 'POST',
      body: randomBytes(100),
      headers: { 'x-forwarded-for': `198.18.1.${index}` },
    });
  await contend(t, {
    most: 1,
    lock: (trx) => trx('heartbeats').where({ monitor_id: id }).forUpdate().select('*'),
    writes: () => Array.from({ length: WRITES }, (_, index) => ping(index)),
    // a check-in that waited for 5 s is asked to come again, and others may take that long to be answered
    refusal: 503,
  });
});

t.test(
  'changes of an account that race with one another, its deletion and its erasure fail only with 4xx',
  async (t) => {
    let sent = 0;
    let deadlocks = 0;
    for (let round = 0; round < 5; round += 1) {
      const greedy = await anAccount();
      const { id } = await aHeartbeat(greedy);
      const session = await freshSession(controlPlane, db, greedy.userId);
      const remove = () => greedy.call('DELETE', '/v1/account', { as: session });
      const eraseNow = () => erase(greedy.userId);
      // at once in every second round, as an operator does
      const leave = round % 2 === 0 ? remove : eraseNow;
      const group = (await greedy.call('POST', '/v1/monitor-groups', { body: { name: 'mine' } })).body.data;
      const file = {
        kind: 'vantage.monitors',
        version: 1,
        monitors: Array.from({ length: 5 }, (_, i) => ({
          name: `i${i}`,
          type: 'heartbeat',
          group: 'mine',
          config: { interval_s: 60 },
        })),
      };
      const [starts_at, ends_at] = [1, 2].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
      const window = { title: 'w', scope_type: 'all', starts_at, ends_at };
      const acts = [
        () => greedy.call('PATCH', '/v1/account/profile', { body: { timezone: 'Europe/Berlin' } }),
        () => greedy.call('POST', '/v1/monitors/import?mode=replace', { body: file }),
        () => greedy.call('POST', '/v1/maintenance-windows', { body: window }),
        () => greedy.call('DELETE', `/v1/monitor-groups/${group.id}`),
        () => greedy.call('PATCH', `/v1/monitors/${id}`, { body: { group_id: group.id } }),
        () => greedy.call('POST', `/v1/monitors/${id}/pause`),
        () => greedy.call('POST', `/v1/monitors/${id}/resume`),
        () => greedy.call('DELETE', `/v1/monitors/${id}`),
        () => greedy.call('POST', '/v1/nodes/enrollment-tokens', { body: {}, headers: { 'idempotency-key': 'same' } }),
        () => greedy.call('POST', '/v1/account/api-keys', { body: { name: 'late', scopes: ['read'] } }),
        leave,
      ];
      const answers = await Promise.all(
        Array.from({ length: 44 }, (_, index) => acts[(index * 3 + round * 4) % acts.length]?.() as Promise<Answer>),
      );
      sent += answers.length;
      deadlocks += answers.filter(({ status }) => status === 503).length;
      // 503: the request lost a deadlock
      t.ok(
        answers.every(({ status }) => status < 500 || status === 503),
        tally(answers),
      );
      // all of its deletions may have lost a deadlock, or have waited too long for a turn
      await until('the deletion to be taken', async () => {
        const { status } = await leave();
        return status !== 503 && status !== 429;
      });
      t.equal((await greedy.call('GET', '/v1/account/profile')).status, 403, 'the account is gone');
      t.strictSame(
        await db('monitors').where({ owner_id: greedy.userId, status: 'active' }),
        [],
        'nothing of it is checked',
      );
      if (leave === remove) t.match(await eraseNow(), { status: 200 });
      for (const table of ['monitors', 'monitor_groups', 'maintenance_windows'])
        t.strictSame(await db(table).where({ owner_id: greedy.userId }), [], `and no ${table} of it are left`);
      const live = { revoked_at: null };
      t.strictSame(await db('api_keys').where({ owner_id: greedy.userId, ...live }), [], 'nor keys');
      t.strictSame(await db('personal_access_tokens').where({ user_id: greedy.userId, ...live }), [], 'nor tokens');
      t.strictSame(
        await db('enrollment_tokens').where({ owner_id: greedy.userId, used_at: null }),
        [],
        'nor open tokens',
      );
    }
    t.comment(`${sent} requests, ${deadlocks} of them lost a deadlock`);
  },
);

t.test('a request that loses a deadlock gets a response that asks for a retry', async (t) => {
  await db.raw('CREATE TABLE two (id int PRIMARY KEY); INSERT INTO two VALUES (1), (2)');
  const [one, another] = [await db.transaction(), await db.transaction()];
  const lock = (trx: Knex, id: number) => trx.raw('SELECT FROM two WHERE id = ? FOR UPDATE', [id]);
  await lock(one, 1);
  await lock(another, 2);
  const outcomes = await Promise.allSettled([
    lock(one, 2).finally(() => one.rollback()),
    lock(another, 1).finally(() => another.rollback()),
  ]);
  const losers = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  t.equal(losers.length, 1);
  t.ok(isUnavailable(losers[0]), losers[0].code);
});
