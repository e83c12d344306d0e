import type { Knex } from 'knex';
import type { Test } from 'tap';
import { runInProcess } from './command-in-process.js';
import { type CommandResult } from './command-line.js';
import { temporaryDirectory } from './temporary-directory.js';

export const PASSPHRASE = 'correct horse battery';

/** An operator of a database, with a data directory and a passphrase in the environment. */
export interface BackupOperator {
  readonly dataDir: string;
  run(...args: string[]): Promise<CommandResult>;
}

/** Runs commands on a database; `settings` replace those of the environment. */
export function backupOperator(
  t: Test,
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
): BackupOperator {
  const dataDir = temporaryDirectory(t);
  const env = {
    VANTAGE_DATABASE_URL: databaseUrl,
    VANTAGE_DATA_DIR: dataDir,
    VANTAGE_BACKUP_PASSPHRASE: PASSPHRASE,
    ...settings,
  };
  return { dataDir, run: (...args) => runInProcess('vantage-control', args, { env }) };
}

/** Digest of the rows of each table that has some, computed by PostgreSQL. */
export async function digests(db: Knex): Promise<Record<string, string>> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(`
    SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'r' AND relpersistence = 'p'
    AND relnamespace IN ('public'::regnamespace, 'vantage_jobs'::regnamespace) AND relname NOT IN ('schema_migrations', 'migrations', 'replicas')`);
  const found: Record<string, string> = {};
  for (const { name } of rows) {
    const { rows: sums } = await db.raw(
      `SELECT md5(string_agg(r::text, chr(10) ORDER BY r::text)) AS sum FROM ${name} r`,
    );
    if (sums[0].sum !== null) found[name] = sums[0].sum;
  }
  return found;
}
