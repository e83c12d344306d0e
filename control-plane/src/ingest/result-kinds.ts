import type { Lane, ResultMessage } from '@vantage/shared/protocol/codec.js';
import type { Knex } from 'knex';
import { type Annotate, parseResult, type RejectCode } from './parse-result.js';
import type { AfterCommit, OwnRow, RowWriter, TaskRow } from './store.js';

// A delivered result by its kind, which stands in it:
//
//   ""         of a one-shot probe: the statement that moves the marks stores it, too    one round trip
//   any other  of what the kind says: its own statement, in the same transaction         two more, and those of the kind
//   unknown    rejected by its number

/** What a result is read with. */
export interface ReadContext {
  /** By the control plane's clock, milliseconds since the epoch. */
  readonly nowMs: number;
  readonly annotate?: Annotate | undefined;
}

/** A row that was checked, without its number; or why it is none. */
export type ReadRow =
  | { readonly row: Omit<TaskRow, 'sequence'> | Omit<OwnRow, 'sequence'> }
  | { readonly reject: RejectCode };

/** Something that nodes deliver results of. */
export interface ResultKind {
  /** As on the wire. */
  readonly name: string;
  /** The only one it comes in. */
  readonly lane: Lane;
  read(message: ResultMessage, context: ReadContext): ReadRow;
}

/** A kind that stores its rows itself; `B` is what it makes of a result. */
export interface OwnKind<B> {
  readonly name: string;
  readonly lane: Lane;
  /** Checks a result wholly, before it meets PostgreSQL. */
  parse(message: ResultMessage, context: ReadContext): ParsedBody<B> | { readonly reject: RejectCode };
  /**
   * Stores rows that were never stored before, within the transaction that moves their marks.
   * @throws an error of SQLSTATE class 22 or 23 when one of them is to blame: it becomes a dead letter
   * @returns what to do after the commit
   */
  store(trx: Knex, rows: readonly KindRow<B>[]): Promise<AfterCommit>;
}

/** What a kind made of a result: its row, and what is counted of it. */
export type ParsedBody<B> = Pick<OwnRow, 'probeType' | 'outcome' | 'resultJson'> & { readonly body: B };

/** A row to be stored by its kind. */
export interface KindRow<B> {
  readonly nodeId: string;
  readonly body: B;
}

/** The results of one-shot probes. */
export const taskResults: ResultKind = {
  name: '',
  lane: 'task',
  read: (message, { nowMs, annotate }) => parseResult(message, nowMs, annotate),
};

/** A kind as the registry has it. */
export function ownKind<B>({ name, lane, parse, store }: OwnKind<B>): ResultKind {
  const writer: RowWriter = {
    name,
    // rows that have this writer are those that were read below
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

/** Those that need nothing but PostgreSQL; monitors bring theirs. */
export const resultKinds: readonly ResultKind[] = [taskResults];

/** Finds the kind of each result. */
export class ResultReader {
  readonly #kinds: ReadonlyMap<string, ResultKind>;

  constructor(kinds: readonly ResultKind[]) {
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]));
  }

  /** The row of a result that came in `lane`. */
  read(message: ResultMessage, lane: Lane, context: ReadContext): ReadRow {
    const kind = this.#kinds.get(message.kind ?? '');
    if (kind === undefined) return { reject: 'unknown_kind' };
    return kind.lane === lane ? kind.read(message, context) : { reject: 'wrong_lane' };
  }
}
