import { AddressEntries, type AddressTable, KEY_FACTOR, sortPrefixes } from './address-entries.js';
import { AsnEntries, sortAsns } from './asn-entries.js';
import { GrowingRows } from './growing-rows.js';
import { type ListRows, readLine, type TextFormat } from './list-line.js';
import { readPlainIPv4 } from './plain-ipv4.js';
import type { Entries } from './score.js';

const LF = 10;
/** Bytes of a line at most; a longer one is unreadable and is not kept. */
const MAX_LINE_BYTES = 4096;
/** Marks the encoding of a file (U+FEFF in UTF-8). */
const BOM = [0xef, 0xbb, 0xbf];

/** Counts of what was read. Lines without an entry (empty, comments) are in none of them. */
export interface LineCounts {
  /** Lines with an entry, readable or not. */
  readonly lines: number;
  readonly unreadable: number;
  /** Readable lines whose range is private, reserved or too wide. */
  readonly refused: number;
}

/** A list in memory. */
export interface ReadList extends LineCounts {
  readonly entries: Entries & { readonly count: number; readonly bytes: number };
}

/** A list that was read, as a thread can give it to another one. */
export interface SortedList extends LineCounts {
  /** AS numbers, or prefixes. */
  readonly rows: Uint32Array<ArrayBuffer> | AddressTable;
}

/** Buffers of a list that was read. */
export function buffersOf({ rows }: SortedList): ArrayBuffer[] {
  if (rows instanceof Uint32Array) return [rows.buffer];
  const { v4, v4Starts, v6 } = rows;
  return [v4.firsts, v4.lengths, v4Starts, v6.firsts, v6.lengths].map(({ buffer }) => buffer);
}

/** A list that was read, in memory. */
export function listOf({ rows, ...counts }: SortedList): ReadList {
  return { entries: rows instanceof Uint32Array ? new AsnEntries(rows) : new AddressEntries(rows), ...counts };
}

/**
 * Reads the text of a list in pieces of any size: CRLF and LF, a byte order mark, comments and remarks, a last line
 * without an end.
 */
export class ListReader {
  readonly #rows: ListRows = {
    v4: new GrowingRows((length) => new Float64Array(length)),
    v6: new GrowingRows((length) => new Uint32Array(length)),
    asns: new GrowingRows((length) => new Uint32Array(length)),
  };
  readonly #prefix = { first: 0, length: 0, next: 0 };
  #carried: Uint8Array = new Uint8Array(0);
  #isAtStart = true;
  /** True while the rest of a line that is too long is skipped. */
  #isSkipping = false;
  #counts = { lines: 0, unreadable: 0, refused: 0 };

  constructor(private readonly format: TextFormat) {}

  push(chunk: Uint8Array): void {
    let bytes = this.#carried.length === 0 ? chunk : Buffer.concat([this.#carried, chunk]);
    if (this.#isAtStart) {
      if (bytes.length < BOM.length && BOM.every((byte, i) => (bytes[i] ?? byte) === byte)) {
        this.#carried = bytes.slice();
        return;
      }
      this.#isAtStart = false;
      if (BOM.every((byte, i) => bytes[i] === byte)) bytes = bytes.subarray(BOM.length);
    }
    const rest = this.#readLines(bytes);
    this.#carry(bytes.subarray(rest));
  }

  /** Sorts what was read. Nothing may be pushed afterwards. */
  end(): SortedList {
    if (this.#carried.length > 0) {
      this.#readLines(Buffer.concat([this.#carried, Buffer.of(LF)]));
      this.#carried = new Uint8Array(0);
    }
    const { v4, v6, asns } = this.#rows;
    const rows = this.format === 'asns' ? sortAsns(asns.numbers) : sortPrefixes(v4.numbers, v6.numbers);
    return { rows, ...this.#counts };
  }

  /** Reads whole lines; returns where the rest begins. */
  #readLines(bytes: Uint8Array): number {
    let at = 0;
    const isPlainFormat = this.format !== 'asns';
    while (at < bytes.length) {
      if (isPlainFormat && !this.#isSkipping && this.#takePlain(bytes, at)) {
        at = this.#prefix.next;
        continue;
      }
      const end = bytes.indexOf(LF, at);
      if (end < 0) return at;
      if (this.#isSkipping) this.#isSkipping = false;
      else this.#take(bytes.subarray(at, end));
      at = end + 1;
    }
    return at;
  }

  #takePlain(bytes: Uint8Array, at: number): boolean {
    if (!readPlainIPv4(bytes, at, this.#prefix)) return false;
    const { first, length } = this.#prefix;
    if (length < 32 && this.format !== 'cidrs') return false;
    this.#rows.v4.push(first * KEY_FACTOR + length);
    this.#counts.lines += 1;
    return true;
  }

  #take(line: Uint8Array): void {
    const isTooLong = line.length > MAX_LINE_BYTES;
    const outcome = isTooLong ? 'unreadable' : readLine(Buffer.from(line).toString('latin1'), this.format, this.#rows);
    if (outcome === 'empty') return;
    this.#counts.lines += 1;
    if (outcome !== 'taken') this.#counts[outcome] += 1;
  }

  #carry(rest: Uint8Array): void {
    if (this.#isSkipping || rest.length > MAX_LINE_BYTES) {
      if (!this.#isSkipping) this.#take(rest);
      this.#isSkipping = true;
      this.#carried = new Uint8Array(0);
      return;
    }
    this.#carried = rest.slice();
  }
}
