import type { Knex } from 'knex';

/** Node and lane of a batch, and the number that it ends at. */
export interface LaneEnd {
  readonly nodeId: string;
  readonly sessionId: string;
  readonly epoch: Buffer;
  readonly lane: number;
  readonly last: number;
}

/** One contiguous range of numbers of one lane, as a link delivered it; a number without a row is skipped. */
export interface RowBatch extends LaneEnd {
  readonly kind: 'rows';
  readonly first: number;
  readonly rows: readonly StoreRow[];
}

/** Question whether the database has everything up to `last`; stores nothing. */
export interface StoredQuestion extends LaneEnd {
  readonly kind: 'question';
}

/** Batch of rows to store, or question about the mark, of one lane. */
export type StoreBatch = RowBatch | StoredQuestion;

/**
 * First number for which a batch needs the database to have all earlier ones; for a question, the number after its end.
 */
export function firstOf(batch: StoreBatch): number {
  return batch.kind === 'rows' ? batch.first : batch.last + 1;
}

/** Rows of a batch; a question has none. */
export function rowsOf(batch: StoreBatch): readonly StoreRow[] {
  return batch.kind === 'rows' ? batch.rows : [];
}

/** Fields that every checked result has, whatever its kind. */
interface CheckedRow {
  readonly sequence: number;
  readonly probeType: string;
  readonly resultJson: string;
  /** `success` or the error code. */
  readonly outcome: string;
}

/** Checked result of a one-shot probe. */
export interface TaskResultRow extends CheckedRow {
  readonly writer: null;
  readonly taskId: string;
  /** Checked result; it is stored as JSON. */
  readonly result: Record<string, unknown>;
  readonly isSuccess: boolean;
}

/** Checked result of a kind that stores its rows itself. */
export interface OwnRow extends CheckedRow {
  readonly writer: RowWriter;
  readonly body: unknown;
}

/** Called after the commit, when the stored rows are visible to others. */
export type AfterCommit = () => void;

/** Stores the rows of one kind. */
export interface RowWriter {
  /** Name of the kind. */
  readonly name: string;
  /**
   * Stores rows within the transaction that moves the marks. `rows` were read by that kind.
   * @returns the work to do after the commit
   */
  store(trx: Knex, rows: readonly { readonly nodeId: string; readonly body: unknown }[]): Promise<AfterCommit>;
}

/** One checked result. */
export type StoreRow = TaskResultRow | OwnRow;

/** Result that ended its node task. */
export interface StoredResult {
  readonly row: TaskResultRow;
  /** Id of the request that its node task belongs to. */
  readonly requestId: string;
  /** True if the node task had already been given up. */
  readonly isLate: boolean;
  /** Time by the database's clock, as in the row. */
  readonly finishedAt: string;
}

/**
 * Outcome of a batch. `stored`: `mark` is durable; `refused`: the node is banned, or this is not its live session;
 * `gap`: rows before the batch are missing.
 */
export type StoreOutcome =
  | {
      readonly kind: 'stored';
      readonly mark: number;
      readonly previousMark: number;
      readonly finished: readonly StoredResult[];
    }
  | { readonly kind: 'gap'; readonly mark: number }
  | { readonly kind: 'refused' };
