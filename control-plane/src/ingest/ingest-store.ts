import type { Knex } from 'knex';
import {
  insertDeadLetter,
  insertSpoolGap,
  type StoreBatch,
  type StoredResult,
  type StoreOutcome,
  type StoreRow,
  storeBatches,
} from './store.js';

/** What ingest writes; each call is one transaction. */
export interface IngestStore {
  /**
   * Stores batches of different lanes; one outcome each. A batch of a node or epoch that does not exist is refused.
   * @throws an error that `isDataError` knows when one of the rows is to blame
   */
  storeBatches(batches: readonly StoreBatch[]): Promise<StoreOutcome[]>;
  /** Stores a batch without the rows the database refuses, which are kept as dead letters and named by `onRefused`. */
  storeRowByRow(batch: StoreBatch, onRefused: (row: StoreRow, error: Error) => void): Promise<StoreOutcome>;
  /** Passes over the numbers of a batch without rows, and notes why. */
  storeGap(gap: StoreBatch, reason: string): Promise<StoreOutcome>;
}

/** The results of a database. */
export function ingestStore(db: Knex): IngestStore {
  return {
    storeBatches: (batches) => storeBatches(db, batches),
    storeRowByRow: (batch, onRefused) => storeRowByRow(db, batch, onRefused),
    storeGap: (gap, reason) => storeGap(db, gap, reason),
  };
}

/** SQLSTATE classes 22 (data) and 23 (integrity): this row's fault; everything else is not. */
export function isDataError(error: unknown): error is Error & { code: string } {
  const code = (error as { code?: unknown })?.code;
  return typeof code === 'string' && /^2[23]/.test(code);
}

function storeGap(db: Knex, gap: StoreBatch, reason: string): Promise<StoreOutcome> {
  return db.transaction(async (trx) => {
    const [outcome] = await storeBatches(trx, [gap]);
    const isNew = outcome?.kind === 'stored' && outcome.previousMark < gap.last;
    if (isNew) await insertSpoolGap(trx, gap, reason);
    return outcome ?? { kind: 'refused' };
  });
}

/** Finds the row PostgreSQL refuses: each in its own savepoint, the culprits into dead_letters. */
function storeRowByRow(
  db: Knex,
  batch: StoreBatch,
  onRefused: (row: StoreRow, error: Error) => void,
): Promise<StoreOutcome> {
  return db.transaction(async (trx) => {
    const finished: StoredResult[] = [];
    for (const row of batch.rows) {
      const single = { ...batch, first: Math.min(batch.first, row.sequence), last: row.sequence, rows: [row] };
      const outcome = await storeOne(trx, single, row);
      if (outcome instanceof Error) onRefused(row, outcome);
      else if (outcome.kind !== 'stored') return outcome;
      else finished.push(...outcome.finished);
    }
    const [rest] = await storeBatches(trx, [{ ...batch, rows: [] }]);
    return rest?.kind === 'stored' ? { ...rest, finished } : (rest ?? { kind: 'refused' });
  });
}

async function storeOne(trx: Knex.Transaction, single: StoreBatch, row: StoreRow): Promise<StoreOutcome | Error> {
  try {
    return await trx.transaction(
      async (savepoint) => (await storeBatches(savepoint, [single]))[0] ?? { kind: 'refused' },
    );
  } catch (error) {
    if (!isDataError(error)) throw error;
    await insertDeadLetter(trx, single, row, error);
    return error;
  }
}
