import type { Lane, ResultMessage } from '@vantage/shared/protocol/codec.js';
import type { Knex } from 'knex';
import type { AfterCommit, OwnRow, RowWriter, TaskResultRow } from './batch.js';
import { type Annotate, parseResult, type RejectCode } from './parse-result.js';

// Handling of a delivered result by its kind:
//
//   ""         of a one-shot probe: the statement that moves the marks stores it, too    one round trip
//   any other  of what the kind says: its own statement, in the same transaction         two more, and those of the kind
//   unknown    rejected by its number

/** Context in which a result is read. */
export interface ReadContext {
  /** Time by the control plane's clock, milliseconds since the epoch. */
  readonly nowMs: number;
  readonly annotate?: Annotate | undefined;
}

/** Checked row without its number, or the reason why there is none. */
export type ReadRow =
  | { readonly row: Omit<TaskResultRow, 'sequence'> | Omit<OwnRow, 'sequence'> }
  | { readonly reject: RejectCode };

/** Kind of result that nodes deliver. */
export interface ResultKind {
  /** Name on the wire. */
  readonly name: string;
  /** Lane of its results; no other lane accepts them. */
  readonly lane: Lane;
  read(message: ResultMessage, context: ReadContext): ReadRow;
}

/** Kind that stores its rows itself; `B` is a parsed result. */
export interface OwnKind<B> {
  readonly name: string;
  readonly lane: Lane;
  /** Validates a result completely, before it is sent to PostgreSQL. */
  parse(message: ResultMessage, context: ReadContext): ParsedBody<B> | { readonly reject: RejectCode };
  /**
   * Stores rows that were never stored before, within the transaction that moves their marks.
   * @throws an error of SQLSTATE class 22 or 23 if one of the rows is at fault: that row becomes a dead letter
   * @returns the work to do after the commit
   */
  store(trx: Knex, rows: readonly KindRow<B>[]): Promise<AfterCommit>;
}

/** Result as its kind reads it: the row, and the values that are counted. */
export type ParsedBody<B> = Pick<OwnRow, 'probeType' | 'outcome' | 'resultJson'> & { readonly body: B };

/** Row to be stored by its kind. */
export interface KindRow<B> {
  readonly nodeId: string;
  readonly body: B;
}

/** Results of one-shot probes. */
export const taskResults: ResultKind = {
  name: '',
  lane: 'task',
  read: (message, { nowMs, annotate }) => parseResult(message, nowMs, annotate),
};

/** Kind as the registry stores it. */
export function ownKind<B>({ name, lane, parse, store }: OwnKind<B>): ResultKind {
  const writer: RowWriter = {
    name,
    // rows with this writer are those that were read below
    store: (trx, rows) => store(trx, rows as readonly KindRow<B>[]),
  };
  return {
    name,
    lane,
    read: (message, context) => {
      const parsed = parse(message, context);
      return 'reject' in parsed ? parsed : { row: { ...parsed, writer } };
    },
  };
}

/** Kinds that need nothing but PostgreSQL; monitors add theirs. */
export const resultKinds: readonly ResultKind[] = [taskResults];

/** Registry that finds the kind of each result. */
export class ResultReader {
  readonly #kinds: ReadonlyMap<string, ResultKind>;

  constructor(kinds: readonly ResultKind[]) {
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]));
  }

  /** Row of a result that came in `lane`. */
  read(message: ResultMessage, lane: Lane, context: ReadContext): ReadRow {
    const kind = this.#kinds.get(message.kind ?? '');
    if (kind === undefined) return { reject: 'unknown_kind' };
    return kind.lane === lane ? kind.read(message, context) : { reject: 'wrong_lane' };
  }
}
