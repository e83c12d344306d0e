import type { Lane } from '@vantage/shared/protocol/lanes.js';
import type Database from 'better-sqlite3';
import { laneTable, rowChecksum, type StoredRow } from './lane-lookup.js';

/** Position of a row, and the time at which it was appended, spool time. */
export interface RowPlace {
  readonly position: number;
  readonly createdMs: number;
}

/** Rows and the bytes of their payloads. */
export interface Amount {
  readonly rows: number;
  readonly bytes: number;
}

const NOTHING: Amount = { rows: 0, bytes: 0 };

/**
 * The rows of one lane in the file, counted as they come and go. Rows up to the mark are held for replay only, those
 * above it are waiting for their acknowledgement.
 */
export class LaneRows {
  readonly #lane: Lane;
  readonly #insert: Database.Statement<[number, number, number, Uint8Array]>;
  readonly #deleteThrough: Database.Statement<[number]>;
  readonly #firstAbove: Database.Statement<[number], RowPlace>;
  readonly #measure: Database.Statement<[number, number], Amount>;
  readonly #positions: Database.Statement<[number, number], { position: number }>;
  readonly #read: Database.Statement<[number], StoredRow>;
  #mark = 0;
  #replay = NOTHING;
  #waiting = NOTHING;

  constructor(database: Database.Database, lane: Lane, mark: number) {
    const table = laneTable(lane);
    const between = `FROM ${table} WHERE position > ? AND position <= ?`;
    const above = `FROM ${table} WHERE position > ? ORDER BY position`;
    this.#lane = lane;
    this.#insert = database.prepare(`INSERT INTO ${table} (position, created_ms, crc, payload) VALUES (?, ?, ?, ?)`);
    this.#deleteThrough = database.prepare(`DELETE FROM ${table} WHERE position <= ?`);
    this.#firstAbove = database.prepare(`SELECT position, created_ms AS createdMs ${above} LIMIT 1`);
    this.#measure = database.prepare(`SELECT count(*) AS rows, coalesce(sum(length(payload)), 0) AS bytes ${between}`);
    this.#positions = database.prepare(`SELECT position ${between} ORDER BY position`);
    this.#read = database.prepare(`SELECT position, crc, payload ${above}`);
    this.recount(mark);
  }

  /** Acknowledged, kept in case the control plane loses them again. */
  get replay(): Amount {
    return this.#replay;
  }

  get waiting(): Amount {
    return this.#waiting;
  }

  /** Counts again after a transaction was rolled back. */
  recount(mark: number): void {
    this.#mark = mark;
    this.#replay = this.#measureBetween(0, mark);
    this.#waiting = this.#measureBetween(mark, Number.MAX_SAFE_INTEGER);
  }

  /** Moves the line between replayed and waiting rows, in either direction. */
  moveMark(mark: number): void {
    const moved = this.#measureBetween(Math.min(mark, this.#mark), Math.max(mark, this.#mark));
    const signed = mark > this.#mark ? moved : negate(moved);
    this.#mark = mark;
    this.#replay = add(this.#replay, signed);
    this.#waiting = add(this.#waiting, negate(signed));
  }

  insert(place: RowPlace, payload: Uint8Array): void {
    this.#insert.run(place.position, place.createdMs, rowChecksum(this.#lane, place.position, payload), payload);
    const { length } = payload;
    if (place.position > this.#mark) this.#waiting = grown(this.#waiting, length);
    else this.#replay = grown(this.#replay, length);
  }

  deleteThrough(position: number): void {
    this.#replay = add(this.#replay, negate(this.#measureBetween(0, Math.min(position, this.#mark))));
    this.#waiting = add(this.#waiting, negate(this.#measureBetween(this.#mark, position)));
    this.#deleteThrough.run(position);
  }

  /** The first row of the replay window; when that is empty, of those waiting. */
  findOldest(): RowPlace | null {
    return this.#firstAbove.get(0) ?? null;
  }

  findOldestWaiting(): RowPlace | null {
    if (this.#waiting.rows === 0) return null;
    return this.#firstAbove.get(this.#mark) ?? null;
  }

  /** Runs of positions above `after` up to and including `through` that are no rows. */
  findHoles(after: number, through: number): { first: number; last: number }[] {
    const holes: { first: number; last: number }[] = [];
    let next = after + 1;
    for (const { position } of this.#positions.iterate(after, through)) {
      if (position > next) holes.push({ first: next, last: position - 1 });
      next = position + 1;
    }
    if (next <= through) holes.push({ first: next, last: through });
    return holes;
  }

  /** Rows above `after`, in order, read one by one: no other statement may run before the iteration ends. */
  iterate(after: number): Iterable<StoredRow> {
    return this.#read.iterate(after);
  }

  #measureBetween(after: number, through: number): Amount {
    return this.#measure.get(after, through) ?? NOTHING;
  }
}

/** Statement that makes the table of a lane. */
export function laneTableSchema(lane: Lane): string {
  return `CREATE TABLE ${laneTable(lane)} (
    position INTEGER PRIMARY KEY,
    created_ms REAL NOT NULL,
    crc INTEGER NOT NULL,
    payload BLOB NOT NULL
  ) STRICT`;
}

function grown({ rows, bytes }: Amount, more: number): Amount {
  return { rows: rows + 1, bytes: bytes + more };
}

function add(a: Amount, b: Amount): Amount {
  return { rows: a.rows + b.rows, bytes: a.bytes + b.bytes };
}

function negate(amount: Amount): Amount {
  return { rows: -amount.rows, bytes: -amount.bytes };
}
