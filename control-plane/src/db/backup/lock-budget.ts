import type { Knex } from 'knex';
import { jobQueueSchema } from '../job-queue-schema.js';
import type { CopiedPartition } from './catalog.js';

/** PostgreSQL has too few places for the locks of one transaction; the message names the setting and its value. */
export class TooFewLocksError extends Error {
  override readonly name = 'TooFewLocksError';
}

/** Places for locks on tables and indexes, and what their number is made of (PostgreSQL, "Lock Management"). */
interface LockTable {
  /** max_locks_per_transaction */
  readonly perTransaction: number;
  /** Processes and prepared transactions that the places are counted for. */
  readonly transactions: number;
}

/** The restore takes some locks on other things, and other connections have theirs. */
const RESERVE = 1.1;

/**
 * Refuses what would end in "out of shared memory" later: a transaction keeps the lock of each table and index that it
 * drops or creates. `more`: relations that it is going to touch, in addition to the locks that it has.
 * @throws TooFewLocksError
 */
export async function demandLocks(trx: Knex.Transaction, more: number): Promise<void> {
  const { rows } = await trx.raw(`
    SELECT current_setting('max_locks_per_transaction')::int AS "perTransaction",
           (SELECT sum(setting::int)::int FROM pg_settings WHERE name IN ('max_connections', 'max_prepared_transactions',
             'autovacuum_max_workers', 'max_worker_processes', 'max_wal_senders')) AS transactions,
           (SELECT count(*)::int FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation') AS held`);
  const { held, ...table } = rows[0] as LockTable & { held: number };
  const wanted = wantedSetting(table, Math.ceil((held + more) * RESERVE));
  if (wanted === null) return;
  throw new TooFewLocksError(
    `the restore needs ${held + more} locks, and this PostgreSQL has places for ${table.perTransaction * table.transactions}: set max_locks_per_transaction = ${wanted} (now ${table.perTransaction}), restart PostgreSQL and repeat; nothing was changed`,
  );
}

/** Pure: value of max_locks_per_transaction, a multiple of 64, with which the locks find a place; null if they do already. */
export function wantedSetting({ perTransaction, transactions }: LockTable, locks: number): number | null {
  if (locks <= perTransaction * transactions) return null;
  return Math.ceil(locks / transactions / 64) * 64;
}

/** Number of relations that dropping everything of ours touches. */
export async function countRelations(trx: Knex.Transaction): Promise<number> {
  const { rows } = await trx.raw(
    `SELECT count(*)::int AS relations FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname IN (current_schema(), ?)
       OR c.oid IN (SELECT reltoastrelid FROM pg_class WHERE relnamespace = current_schema()::regnamespace)`,
    [jobQueueSchema],
  );
  return rows[0].relations;
}

/** Number of relations that these partitions become: each a table, its indexes, and the table and index of long values. */
export async function countNewRelations(
  trx: Knex.Transaction,
  partitions: readonly CopiedPartition[],
): Promise<number> {
  const { rows } = await trx.raw<{ rows: { parent: string; indexes: number }[] }>(`
    SELECT c.relname AS parent, count(i.indexrelid)::int AS indexes
    FROM pg_class c LEFT JOIN pg_index i ON i.indrelid = c.oid
    WHERE c.relkind = 'p' AND c.relnamespace = current_schema()::regnamespace GROUP BY c.relname`);
  const indexes = new Map(rows.map((row) => [row.parent, row.indexes]));
  return partitions.reduce((sum, { parent }) => sum + 3 + (indexes.get(parent) ?? 0), 0);
}
