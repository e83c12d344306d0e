import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { lastingPort } from '@vantage/shared/_support/lasting-port.js';
import { until } from '@vantage/shared/_support/until.js';
import type { Knex } from 'knex';
import t from 'tap';
import { checkDatabase, openDatabase, ReadOnlyDatabaseError } from '../src/db/database.js';
import { queryWithin } from '../src/db/prepared.js';
import { isUnavailable } from '../src/db/unavailable.js';
import { createTestDatabase } from './_support/database.js';
import { within } from './_support/within.js';

/** On a busy machine, a connection may be awaited for long. */
const PATIENCE_MS = 60_000;

async function one(db: Knex, sql: string): Promise<Record<string, unknown>> {
  return (await db.raw(sql)).rows[0];
}

async function errorOf(query: Promise<unknown>): Promise<unknown> {
  return query.then(
    () => null,
    (error: unknown) => error,
  );
}

t.test(
  'int8 and numeric are numbers, json is parsed, and an int8 beyond the range of a number fails its query',
  async (t) => {
    const { db } = await createTestDatabase(t, { migrate: false });
    const row = await one(
      db,
      `select 9007199254740991::int8 as big, -1.5::numeric as exact, count(*) as n, '{"a": [1]}'::jsonb as doc`,
    );
    t.same(row, { big: Number.MAX_SAFE_INTEGER, exact: -1.5, n: 1, doc: { a: [1] } });
    await t.rejects(one(db, 'select 9007199254740992::int8'), /9007199254740992 does not fit a number/);
    t.same(await one(db, 'select 1 as one'), { one: 1 }, 'the connection still works');
  },
);

t.test('every connection has the settings and the name, whatever options the URL has', async (t) => {
  const { url } = await createTestDatabase(t, { migrate: false });
  const db = openDatabase({
    url: `${url}&options=${encodeURIComponent('-c search_path=elsewhere')}`,
    poolSize: 2,
    acquireTimeoutMs: PATIENCE_MS,
    applicationName: 'vantage here',
    settings: { synchronous_commit: 'off', statement_timeout: '77s' },
  });
  t.teardown(() => db.destroy());
  const names = [
    'application_name',
    'synchronous_commit',
    'statement_timeout',
    'idle_in_transaction_session_timeout',
    'search_path',
  ];
  const settings = await one(db, `select ${names.map((name) => `current_setting('${name}') as ${name}`).join()}`);
  t.same(Object.values(settings), ['vantage here', 'off', '77s', '1min', 'elsewhere']);
});

t.test('a statement that takes too long is cancelled and counts as unavailable', async (t) => {
  const { url } = await createTestDatabase(t, { migrate: false });
  const db = openDatabase({
    url,
    poolSize: 1,
    acquireTimeoutMs: PATIENCE_MS,
    applicationName: 'test',
    settings: { statement_timeout: '50ms' },
  });
  t.teardown(() => db.destroy());
  t.equal(isUnavailable(await errorOf(one(db, 'select pg_sleep(100)'))), true);
  let row: unknown = null;
  // on a busy machine, any statement may take 50 ms
  await until('a statement that does not take too long', async () => {
    row = await one(db, 'select 1 as one').catch(() => null);
    return row !== null;
  });
  t.same(row, { one: 1 });
});

t.test('an aborted query rejects at once, without waiting for its connection', async (t) => {
  const { url, db: observer } = await createTestDatabase(t, { migrate: false });
  const db = openDatabase({
    url,
    poolSize: 1,
    acquireTimeoutMs: PATIENCE_MS * 2,
    applicationName: 'given up',
    // nothing but the abort ends the query while the next one is awaited
    settings: { statement_timeout: '10min' },
  });
  t.teardown(() => db.destroy());
  const query = (text: string, values: readonly unknown[], signal: AbortSignal) =>
    queryWithin(db, { name: text, text, values }, signal);
  const abort = new AbortController();
  t.same(await query('select $1::int as n', [1], abort.signal), [{ n: 1 }]);
  const sleeping = errorOf(query('select pg_sleep($1)', [300], abort.signal));
  await until('the query to run', async () => {
    const row = await one(
      observer,
      `select count(*) as n from pg_stat_activity where application_name = 'given up' and wait_event = 'PgSleep'`,
    );
    return row['n'] === 1;
  });
  abort.abort(new RangeError('too late'));
  t.match(await sleeping, { name: 'RangeError' });
  t.same(await within('the next query', one(db, 'select 1 as one'), PATIENCE_MS), { one: 1 });
  t.match(await errorOf(query('select 1', [], abort.signal)), { name: 'RangeError' }, 'aborted before it began');
});

t.test('a connection that is cut counts as unavailable, and the pool continues with a new one', async (t) => {
  const { url, db } = await createTestDatabase(t, { migrate: false });
  const victim = openDatabase({ url, poolSize: 1, acquireTimeoutMs: PATIENCE_MS, applicationName: 'victim' });
  t.teardown(() => victim.destroy());
  const { pid } = await one(victim, 'select pg_backend_pid() as pid');
  const sleeping = errorOf(one(victim, 'select pg_sleep(100)'));
  await db.raw('select pg_terminate_backend(?)', [Number(pid)]);
  t.equal(isUnavailable(await sleeping), true);
  // until the end of the old connection has arrived, the pool may hand it out once more
  await until('a new connection', async () => {
    const error = await errorOf(one(victim, 'select 1'));
    t.equal(error === null || isUnavailable(error), true);
    return error === null;
  });
});

t.test('a missing server, by socket or by port, counts as unavailable; a wrong password does not', async (t) => {
  const directory = mkdtempSync(path.join(tmpdir(), 'vantage-test-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const { url } = await createTestDatabase(t, { migrate: false });
  const cases = [
    { url: `postgres://u:p@localhost/db?host=${directory}`, expected: true },
    { url: `postgres://u:p@127.0.0.1:${await lastingPort()}/db`, expected: true },
    { url: url.replace(/:[^:@/]*@/, ':wrong@'), expected: false },
  ];
  for (const { url, expected } of cases) {
    const db = openDatabase({ url, poolSize: 1, acquireTimeoutMs: PATIENCE_MS, applicationName: 'test' });
    t.equal(isUnavailable(await errorOf(one(db, 'select 1'))), expected, url);
    await db.destroy();
  }
});

t.test('a database that answers but refuses writes, like a standby, counts as unavailable', async (t) => {
  const { db, url } = await createTestDatabase(t, { migrate: false });
  await checkDatabase(db);
  // setting of a standby
  await db.raw('alter database ?? set default_transaction_read_only = on', [new URL(url).pathname.slice(1)]);
  const standby = openDatabase({ url, poolSize: 1, acquireTimeoutMs: PATIENCE_MS, applicationName: 'test' });
  t.teardown(() => standby.destroy());
  await t.rejects(checkDatabase(standby), ReadOnlyDatabaseError);
});
