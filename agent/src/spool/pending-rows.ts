import type { Lane } from '@vantage/shared/protocol/lanes.js';
import { SpoolClosedError, SpoolRowDroppedError } from './errors.js';
import { type CommitRow, type PackedRows, packRows } from './packed-rows.js';

/** Rows of one commit at most, and payload bytes beyond the first row. */
const GROUP_ROWS = 100;
const GROUP_BYTES = 256 * 1024;

/** A row that is not yet in the file. */
export interface PendingRow extends CommitRow {
  readonly committed: { resolve(): void; reject(error: Error): void };
}

/**
 * Rows on their way into the file, oldest first: the groups whose commits are running, then those that will form the
 * next. They stay here until they are in the file, so that they can be read and sent meanwhile.
 */
export class PendingRows {
  readonly #maxBytes: number;
  #rows: PendingRow[] = [];
  /** Number of rows of each running commit. */
  #groups: number[] = [];
  #bytes = 0;

  /** @param maxBytes payload bytes kept here while the disk takes nothing */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get count(): number {
    return this.#rows.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get oldest(): PendingRow | null {
    return this.#rows[0] ?? null;
  }

  /** Rows that no commit has yet. */
  get uncommitted(): number {
    return this.#rows.length - this.#taken;
  }

  /** True if there are as many rows as one commit takes. */
  get hasFullGroup(): boolean {
    return this.uncommitted >= GROUP_ROWS;
  }

  /** Adds a row; answers those, oldest first, that had to go because the disk takes nothing. */
  push(row: PendingRow): PendingRow[] {
    this.#rows.push(row);
    this.#bytes += row.payload.length;
    const dropped: PendingRow[] = [];
    while (this.#bytes > this.#maxBytes && this.#rows.length > this.#taken) {
      const [oldest] = this.#rows.splice(this.#taken, 1);
      if (oldest === undefined) break;
      this.#bytes -= oldest.payload.length;
      dropped.push(oldest);
      oldest.committed.reject(new SpoolRowDroppedError(oldest.lane));
    }
    return dropped;
  }

  /** The oldest rows that no commit has yet, as the next. They stay until `finishGroup` or `returnGroups`. */
  takeGroup(): PackedRows {
    const rows = limitBytes(this.#rows.slice(this.#taken, this.#taken + GROUP_ROWS));
    this.#groups.push(rows.length);
    return packRows(rows);
  }

  /** The oldest group is in the file. @returns its rows, whose owners are to be notified */
  finishGroup(): readonly PendingRow[] {
    const rows = this.#rows.splice(0, this.#groups.shift() ?? 0);
    for (const row of rows) this.#bytes -= row.payload.length;
    return rows;
  }

  /** A commit failed, and with it those that follow it: their rows are the first of the next. */
  returnGroups(): void {
    this.#groups = [];
  }

  /** Rows of `lane` above `position`, in order. */
  above(lane: Lane, position: number): PendingRow[] {
    return this.#rows.filter((row) => row.lane === lane && row.position > position);
  }

  /** Assigns every row a new position, in order. */
  renumber(next: (lane: Lane) => number): void {
    this.#rows = this.#rows.map((row) => ({ ...row, position: next(row.lane) }));
  }

  /** Forgets everything; answers how many rows that were. */
  rejectAll(): number {
    const rows = this.#rows;
    this.#rows = [];
    this.#groups = [];
    this.#bytes = 0;
    for (const row of rows) row.committed.reject(new SpoolClosedError());
    return rows.length;
  }

  /** Rows of running commits. */
  get #taken(): number {
    return this.#groups.reduce((sum, rows) => sum + rows, 0);
  }
}

/** The first of `rows` that one commit may hold. */
function limitBytes(rows: readonly PendingRow[]): readonly PendingRow[] {
  let bytes = 0;
  const end = rows.findIndex((row, i) => {
    bytes += row.payload.length;
    return i > 0 && bytes > GROUP_BYTES;
  });
  return end < 0 ? rows : rows.slice(0, end);
}
