import type { Knex } from 'knex';
import { copyOut } from '../copy-rows.js';
import { jobQueueSchema } from '../job-queue-schema.js';
import { lockMigrations } from '../lock-migrations.js';

/** A table whose rows a backup has; those of the queue's library have its schema before the name. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** A partition, as the catalog describes it. */
export interface CopiedPartition {
  readonly name: string;
  readonly parent: string;
  /** `FOR VALUES FROM ('…') TO ('…')` */
  readonly bound: string;
}

/** Last value of a sequence. */
export interface CopiedSequence {
  readonly name: string;
  readonly value: string;
}

/** Parts of a database, without its rows. */
export interface Catalog {
  /** Names of the applied migrations, in order. */
  readonly migrations: readonly string[];
  readonly partitions: readonly CopiedPartition[];
  readonly tables: readonly CopiedTable[];
}

/** Settings that the text of a value depends on, and no limits of time. */
export const copySettings = `
  SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL intervalstyle = 'postgres'; SET LOCAL timezone = 'UTC';
  SET LOCAL extra_float_digits = 1; SET LOCAL bytea_output = 'hex'; SET LOCAL client_encoding = 'UTF8';`;

/** Runs `work` on one state of the database, while others go on writing; a migration waits until it has ended. */
export function readOneState<T>(db: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  return db.transaction(async (lock) => {
    await lock.raw('SET LOCAL idle_in_transaction_session_timeout = 0');
    await lockMigrations(lock, 'shared');
    return db.transaction(
      async (trx) => {
        await trx.raw(copySettings);
        return work(trx);
      },
      { isolationLevel: 'repeatable read', readOnly: true },
    );
  });
}

/** Reads the catalog, and locks its tables so that none is dropped meanwhile. */
export async function readCatalog(trx: Knex.Transaction): Promise<Catalog> {
  const { rows: migrations } = await trx.raw<{ rows: { name: string }[] }>(
    'SELECT name FROM schema_migrations ORDER BY name',
  );
  const { rows: tables } = await trx.raw<{ rows: CopiedTable[] }>(TABLES, [jobQueueSchema, jobQueueSchema]);
  const { rows: partitions } = await trx.raw<{ rows: CopiedPartition[] }>(`
    SELECT c.relname AS name, p.relname AS parent, pg_get_expr(c.relpartbound, c.oid) AS bound
    FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid JOIN pg_class p ON p.oid = i.inhparent
    WHERE c.relispartition AND c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace ORDER BY c.relname`);
  await trx.raw(
    `LOCK TABLE ${tables.map(() => '??').join()} IN ACCESS SHARE MODE`,
    tables.map(({ name }) => name),
  );
  return { migrations: migrations.map(({ name }) => name), partitions, tables };
}

/** Tables with rows of their own that outlive a crash; the library's own list of migrations belongs to its version. */
const TABLES = `
  SELECT CASE WHEN n.nspname = ? THEN n.nspname || '.' ELSE '' END || c.relname AS name,
         ARRAY(SELECT attname::text FROM pg_attribute
               WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum) AS columns
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND c.relpersistence = 'p'
    AND (n.nspname = current_schema() AND c.relname <> 'schema_migrations' OR n.nspname = ? AND c.relname <> 'migrations')
  ORDER BY 1`;

/** Sequences that have given a number, with the last one. */
export async function listSequences(trx: Knex.Transaction): Promise<CopiedSequence[]> {
  const { rows } = await trx.raw<{ rows: CopiedSequence[] }>(
    `SELECT CASE WHEN schemaname = :jobs THEN schemaname || '.' ELSE '' END || sequencename AS name, last_value::text AS value
     FROM pg_sequences WHERE schemaname IN (current_schema(), :jobs) AND last_value IS NOT NULL ORDER BY 1`,
    { jobs: jobQueueSchema },
  );
  return rows;
}

/** Rows of a table in the text format of COPY. */
export function copyTableOut(trx: Knex.Transaction, { name, columns }: CopiedTable): Promise<AsyncIterable<Buffer>> {
  return copyOut(trx, `COPY ${columnsOf(trx, name, columns)} TO STDOUT`);
}

/** Table and columns as COPY takes them. */
export function columnsOf(trx: Knex.Transaction, name: string, columns: readonly string[]): string {
  return trx.raw(`?? (${columns.map(() => '??').join()})`, [name, ...columns]).toString();
}
