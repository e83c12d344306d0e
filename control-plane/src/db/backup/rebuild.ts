import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import { copyIn } from '../copy-rows.js';
import { jobQueueSchema } from '../job-queue-schema.js';
import { lockMigrations } from '../lock-migrations.js';
import { applyWithin } from '../migrate.js';
import { type Catalog, type CopiedSequence, type CopiedTable, columnsOf, copySettings } from './catalog.js';
import { countNewRelations, countRelations, demandLocks } from './lock-budget.js';

/** Runs `work` in one transaction, while processes that start wait for its end. */
export function writeOneState<T>(db: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  return db.transaction(async (trx) => {
    await trx.raw(copySettings);
    await lockMigrations(trx, 'exclusive');
    return work(trx);
  });
}

/** Number of users and nodes; null if the database has no tables of ours. */
export async function countInhabitants(trx: Knex.Transaction): Promise<{ users: number; nodes: number } | null> {
  const { rows } = await trx.raw(
    "SELECT to_regclass('users') IS NOT NULL AND to_regclass('nodes') IS NOT NULL AS ours",
  );
  if (!rows[0].ours) return null;
  const counts = await trx.raw(
    'SELECT (SELECT count(*)::int FROM users) AS users, (SELECT count(*)::int FROM nodes) AS nodes',
  );
  return counts.rows[0];
}

/** Number of tables in the schema of the connection. */
export async function countTables(trx: Knex.Transaction): Promise<number> {
  const { rows } = await trx.raw(
    "SELECT count(*)::int AS tables FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace",
  );
  return rows[0].tables;
}

/** Replicas heard of within `withinMs`. */
export async function listLiveReplicas(trx: Knex.Transaction, withinMs: number): Promise<string[]> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    "SELECT id FROM replicas WHERE heartbeat_at > now() - ? * interval '1 millisecond'",
    [withinMs],
  );
  return rows.map(({ id }) => id);
}

/** Drops everything of ours, and nothing of extensions. @throws TooFewLocksError */
export async function dropEverything(trx: Knex.Transaction): Promise<void> {
  await demandLocks(trx, await countRelations(trx));
  await trx.raw("SET LOCAL lock_timeout = '20s'");
  await trx.raw('DROP SCHEMA IF EXISTS ?? CASCADE', [jobQueueSchema]);
  await trx.raw(`
    DO $$
    DECLARE thing record;
    BEGIN
      FOR thing IN SELECT oid::regclass AS name FROM pg_class
        WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = current_schema()::regnamespace LOOP
        EXECUTE format('DROP TABLE IF EXISTS %s CASCADE', thing.name);
      END LOOP;
      FOR thing IN SELECT oid::regclass AS name FROM pg_class
        WHERE relkind = 'S' AND relnamespace = current_schema()::regnamespace LOOP
        EXECUTE format('DROP SEQUENCE IF EXISTS %s CASCADE', thing.name);
      END LOOP;
      FOR thing IN SELECT oid::regprocedure AS name FROM pg_proc p WHERE pronamespace = current_schema()::regnamespace
        AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = p.oid AND classid = 'pg_proc'::regclass AND deptype = 'e') LOOP
        EXECUTE format('DROP ROUTINE IF EXISTS %s CASCADE', thing.name);
      END LOOP;
    END $$`);
}

/**
 * Creates the tables of a catalog, empty.
 * @throws Error for a migration or a bound that no version has written
 * @throws TooFewLocksError
 */
export async function createTables(trx: Knex.Transaction, { migrations, partitions, tables }: Catalog): Promise<void> {
  await applyWithin(trx, migrations);
  await demandLocks(trx, await countNewRelations(trx, partitions));
  for (const { name, parent, bound } of partitions) {
    const { rows } = await trx.raw('SELECT to_regclass(?) IS NOT NULL AS exists', [name]);
    if (rows[0].exists) continue;
    if (!/^FOR VALUES (?:FROM \('[\w :+-]*'\) TO \('[\w :+-]*'\)|IN \('?[\w-]+'?\))$/.test(bound))
      throw new Error(`partition "${name}" has an unknown bound: ${bound}`);
    await trx.raw('CREATE TABLE ?? (LIKE ?? INCLUDING ALL EXCLUDING INDEXES)', [name, parent]);
    await trx.raw(`ALTER TABLE ?? ATTACH PARTITION ?? ${bound}`, [parent, name]);
  }
  // some migrations store rows, which the backup has, too
  await trx.raw(
    `TRUNCATE ${tables.map(() => '??').join()}`,
    tables.map(({ name }) => name),
  );
}

/** Runs `work` without triggers and foreign keys, which then judge all rows together. */
export async function withoutConstraints(trx: Knex.Transaction, work: () => Promise<void>): Promise<void> {
  const { rows: keys } = await trx.raw<{ rows: { name: string; on: string; is: string }[] }>(`
    SELECT conname AS name, conrelid::regclass::text AS on, pg_get_constraintdef(oid) AS is FROM pg_constraint
    WHERE contype = 'f' AND conparentid = 0 AND connamespace = current_schema()::regnamespace`);
  const { rows: triggered } = await trx.raw<{ rows: { on: string }[] }>(
    `
    SELECT DISTINCT tgrelid::regclass::text AS on FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
    WHERE NOT tgisinternal AND c.relnamespace IN (current_schema()::regnamespace, ?::regnamespace)`,
    [jobQueueSchema],
  );
  for (const { name, on } of keys) await trx.raw(`ALTER TABLE ${on} DROP CONSTRAINT ??`, [name]);
  for (const { on } of triggered) await trx.raw(`ALTER TABLE ${on} DISABLE TRIGGER USER`);
  await work();
  for (const { on } of triggered) await trx.raw(`ALTER TABLE ${on} ENABLE TRIGGER USER`);
  for (const { name, on, is } of keys) await trx.raw(`ALTER TABLE ${on} ADD CONSTRAINT ?? ${is}`, [name]);
}

/** Continues sequences behind their last value. */
export async function setSequences(trx: Knex.Transaction, sequences: readonly CopiedSequence[]): Promise<void> {
  for (const { name, value } of sequences)
    await trx.raw('SELECT setval(?::regclass, ?::bigint)', [trx.raw('??', [name]).toString(), value]);
}

/** Stores rows in the text format of COPY. */
export async function copyTableIn(
  trx: Knex.Transaction,
  { name, columns }: CopiedTable,
  rows: AsyncIterable<Buffer>,
): Promise<void> {
  await pipeline(rows, await copyIn(trx, `COPY ${columnsOf(trx, name, columns)} FROM STDIN`));
}
