import type { Knex } from 'knex';
import { type RowBatch, type StoreBatch, type StoredResult, type StoreOutcome, type StoreRow } from './batch.js';
import { insertDeadLetter, insertSpoolGap, storeBatches } from './store.js';

/** Writes of ingest; each call is one transaction. */
export interface IngestStore {
  /**
   * Stores batches of different lanes; one outcome each. A batch of a node or epoch that does not exist is refused.
   * @throws an error that `isDataError` recognizes if one of the rows is at fault
   */
  storeBatches(batches: readonly StoreBatch[]): Promise<StoreOutcome[]>;
  /**
   * Stores a batch without the rows that the database refuses, which are kept as dead letters and reported to
   * `onRefused`.
   */
  storeRowByRow(batch: RowBatch, onRefused: (row: StoreRow, error: Error) => void): Promise<StoreOutcome>;
  /** Skips the numbers of a batch without rows, and notes the reason. */
  storeGap(gap: RowBatch, reason: string): Promise<StoreOutcome>;
}

/** Store of results in a database. */
export function ingestStore(db: Knex): IngestStore {
  return {
    storeBatches: (batches) => storeBatches(db, batches),
    storeRowByRow: (batch, onRefused) => storeRowByRow(db, batch, onRefused),
    storeGap: (gap, reason) => storeGap(db, gap, reason),
  };
}

/** True if the row is at fault: SQLSTATE classes 22 (data) and 23 (integrity); no other error is. */
export function isDataError(error: unknown): error is Error & { code: string } {
  const code = (error as { code?: unknown })?.code;
  return typeof code === 'string' && /^2[23]/.test(code);
}

function storeGap(db: Knex, gap: RowBatch, reason: string): Promise<StoreOutcome> {
  return db.transaction(async (trx) => {
    const [outcome] = await storeBatches(trx, [gap]);
    const isNew = outcome?.kind === 'stored' && outcome.previousMark < gap.last;
    if (isNew) await insertSpoolGap(trx, gap, reason);
    return outcome ?? { kind: 'refused' };
  });
}

/** Finds the rows that PostgreSQL refuses: each row has its own savepoint, refused ones become dead letters. */
function storeRowByRow(
  db: Knex,
  batch: RowBatch,
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

async function storeOne(trx: Knex.Transaction, single: RowBatch, row: StoreRow): Promise<StoreOutcome | Error> {
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
