import { until } from '@vantage/shared/_support/until.js';
import type { Knex } from 'knex';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { openDatabase } from '../src/db/database.js';
import { migrate } from '../src/db/migrate.js';
import type { Migration } from '../src/db/migrations/index.js';
import { createTestDatabase } from './_support/database.js';

const log = pino({ level: 'silent' });

const tables: Migration = {
  name: '0001-tables',
  up: async (trx) => {
    await trx.raw(`
      CREATE TABLE checks (days int NOT NULL, at int NOT NULL, monitor text) PARTITION BY LIST (days);
      CREATE TABLE checks_7d PARTITION OF checks FOR VALUES IN (7) PARTITION BY RANGE (at);
      CREATE TABLE checks_7d_p1 PARTITION OF checks_7d FOR VALUES FROM (0) TO (100);
      CREATE TABLE checks_7d_p2 PARTITION OF checks_7d FOR VALUES FROM (100) TO (200);
      CREATE TABLE checks_30d PARTITION OF checks FOR VALUES IN (30);
      CREATE TABLE checks_90d PARTITION OF checks FOR VALUES IN (90) PARTITION BY RANGE (at);
    `);
  },
};
const indexed: Migration = {
  name: '0002-index',
  indexes: [
    { name: 'checks_of_monitor', on: 'checks (monitor, at) WHERE at > 5' },
    { name: 'checks_once', on: 'checks (days, at)', isUnique: true },
  ],
};

/** Database with partitions of two levels and rows in them. */
async function aDatabase(t: Test) {
  const { url, db } = await createTestDatabase(t, { migrate: false });
  await migrate(db, log, [tables]);
  await db.raw(
    "INSERT INTO checks SELECT days, at, 'm' || at % 7 FROM generate_series(0, 199) at, unnest(ARRAY[7, 30]) days",
  );
  return { url, db };
}

/** Indexes by name: table, validity and the index that it is a part of. */
async function indexesOf(db: Knex) {
  const { rows } = await db.raw(
    `SELECT index.relname AS name, indrelid::regclass::text AS "table", indisvalid AS valid, inhparent::regclass::text AS parent
     FROM pg_index JOIN pg_class index ON index.oid = indexrelid LEFT JOIN pg_inherits ON inhrelid = indexrelid
     WHERE index.relname LIKE 'checks%' ORDER BY 1`,
  );
  return rows as { name: string; table: string; valid: boolean; parent: string | null }[];
}

async function checkComplete(t: Test, db: Knex, name: string): Promise<void> {
  const found = await indexesOf(db);
  t.strictSame(
    found.filter(({ valid }) => !valid),
    [],
  );
  const parts = found.filter(({ name: index }) => index.startsWith(name));
  t.strictSame(parts.map(({ table, parent }) => [table, parent !== null]).sort(), [
    ['checks', false],
    ['checks_30d', true],
    ['checks_7d', true],
    ['checks_7d_p1', true],
    ['checks_7d_p2', true],
    ['checks_90d', true],
  ]);
}

t.test('an index on a partitioned table is built on every partition while rows are written', async (t) => {
  const { db } = await aDatabase(t);
  const open = await db.transaction();
  await open.raw("UPDATE checks SET monitor = 'open' WHERE days = 7 AND at = 150");
  const built = migrate(db, log, [tables, indexed]);
  for (const at of [10, 20, 30])
    await db.raw('UPDATE checks SET monitor = ? WHERE days = 30 AND at = ?', ['meanwhile', at]);
  await open.commit();
  t.same(await built, ['0002-index']);
  for (const name of ['checks_of_monitor', 'checks_once']) await checkComplete(t, db, name);
  await t.rejects(db.raw("INSERT INTO checks VALUES (7, 50, 'again')"), { code: '23505' });
  await db.raw('CREATE TABLE checks_90d_p1 PARTITION OF checks_90d FOR VALUES FROM (0) TO (100)');
  t.equal((await indexesOf(db)).filter(({ table, parent }) => table === 'checks_90d_p1' && parent !== null).length, 2);
});

const isStep = (sql: string) => /^(CREATE|ALTER|DROP) /.test(sql);
/** Statements that build `once`: one for each table, and one for each part that is attached. */
const STEPS = 11;
const once: Migration = { name: '0002-index', indexes: indexed.indexes?.slice(1) ?? [] };

t.test('a build on partitions that ends before any of its steps is finished by the next one', async (t) => {
  for (let endAt = 1; endAt < STEPS; endAt++) {
    const { url, db } = await aDatabase(t);
    const ending = openDatabase({ url, poolSize: 2, applicationName: 'ending replica' });
    const taken: string[] = [];
    ending.on('query', ({ sql }: { sql: string }) => {
      if (isStep(sql) && taken.push(sql) === endAt + 1) throw new Error('the end');
    });
    await t.rejects(migrate(ending, log, [tables, once]), { message: 'the end' });
    await ending.destroy();
    db.on('query', ({ sql }: { sql: string }) => {
      if (isStep(sql)) taken.push(sql);
    });
    t.same(await migrate(db, log, [tables, once]), ['0002-index'], `ended after ${endAt} steps`);
    await checkComplete(t, db, 'checks_once');
    t.equal(taken.length, STEPS + 1, 'only the step before which it ended is begun twice');
  }
});

for (const table of ['checks_30d', 'checks_7d_p2'])
  t.test(`an index of ${table} that a kill leaves unfinished is built again`, async (t) => {
    const { url, db } = await aDatabase(t);
    const killed = openDatabase({ url, poolSize: 2, applicationName: 'killed replica' });
    // the build waits for this writer
    const writer = await db.transaction();
    await writer.raw('UPDATE ?? SET monitor = monitor WHERE at = 150', [table]);
    const attempt = migrate(killed, log, [tables, once]);
    attempt.catch(() => {});
    await until('its build', async () => (await indexesOf(db)).some((index) => index.table === table));
    await db.raw("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'killed replica'");
    await t.rejects(attempt);
    await killed.destroy();
    t.match(
      (await indexesOf(db)).find((index) => index.table === table),
      { valid: false, parent: null },
    );
    await writer.commit();
    t.same(await migrate(db, log, [tables, once]), ['0002-index']);
    await checkComplete(t, db, 'checks_once');
  });
