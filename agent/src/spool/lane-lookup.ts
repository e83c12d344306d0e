import { crc32 } from 'node:zlib';
import { type Lane, lanes } from '@vantage/shared/protocol/lanes.js';
import type Database from 'better-sqlite3';

/** A row as the file has it; `crc` was computed when it was written. */
export interface StoredRow {
  readonly position: number;
  readonly crc: number;
  readonly payload: Buffer;
}

/** A row with the time it was appended at, spool time. */
export interface DatedRow extends StoredRow {
  readonly createdMs: number;
}

/** Rows of one lane by their position, one at a time: for readers of a file that may be damaged anywhere. */
export class LaneLookup {
  readonly #find: Database.Statement<[number], DatedRow>;
  readonly #first: Database.Statement<[], { position: number }>;
  readonly #last: Database.Statement<[], { position: number }>;

  constructor(database: Database.Database, lane: Lane) {
    const table = laneTable(lane);
    this.#find = database.prepare(
      `SELECT position, created_ms AS createdMs, crc, payload FROM ${table} WHERE position = ?`,
    );
    // each reads only one end: damage in the middle does not affect it
    this.#first = database.prepare(`SELECT position FROM ${table} ORDER BY position LIMIT 1`);
    this.#last = database.prepare(`SELECT position FROM ${table} ORDER BY position DESC LIMIT 1`);
  }

  find(position: number): DatedRow | null {
    return this.#find.get(position) ?? null;
  }

  /** Lowest and highest position that is a row; null when there is none. */
  span(): { readonly first: number; readonly last: number } | null {
    const first = this.#first.get();
    const last = this.#last.get();
    return first === undefined || last === undefined ? null : { first: first.position, last: last.position };
  }
}

/** True if the row is unchanged, and at the position at which it was written. */
export function isIntactRow(lane: Lane, row: StoredRow): boolean {
  return rowChecksum(lane, row.position, row.payload) === row.crc;
}

// lane and position of the row that is checked; as text they took a tenth of the time of a whole commit
const PLACE = new DataView(new ArrayBuffer(9));
const PLACE_BYTES = new Uint8Array(PLACE.buffer);

/** CRC-32 over a row and its place. */
export function rowChecksum(lane: Lane, position: number, payload: Uint8Array): number {
  PLACE.setUint8(0, lanes.indexOf(lane));
  PLACE.setFloat64(1, position);
  return crc32(payload, crc32(PLACE_BYTES));
}

/** The table that holds a lane's rows. */
export function laneTable(lane: Lane): string {
  return `${lane}_rows`;
}
