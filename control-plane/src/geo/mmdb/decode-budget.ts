import { MmdbError } from './mmdb-error.js';

/** Values of one record, and levels of its nesting ("Reader Resource Limits" of the MaxMind DB format). */
const [MOST_VALUES, MOST_DEPTH] = [65_536, 512];
/** Bytes of the texts of one record, as other readers of the format have it. */
const MOST_BYTES = 2 * 1024 * 1024;

/**
 * Work that decoding may still take. A file says by itself how much that is: pointers to shared values let a few hundred
 * bytes stand for 2^40 values.
 */
export class DecodeBudget {
  #values = MOST_VALUES;
  #bytes = MOST_BYTES;
  #depth = MOST_DEPTH;

  /** Takes values before they are decoded. @throws MmdbError */
  takeValues(count: number): void {
    this.#values -= count;
    if (this.#values < 0) throw new MmdbError(`it has a record of more than ${MOST_VALUES} values`);
  }

  /** Takes bytes of a text. @throws MmdbError */
  takeBytes(count: number): void {
    this.#bytes -= count;
    if (this.#bytes < 0) throw new MmdbError(`it has a record of more than ${MOST_BYTES} bytes`);
  }

  /** Result of a function that decodes a value inside of another one. @throws MmdbError */
  nested<T>(decode: () => T): T {
    this.#depth -= 1;
    if (this.#depth < 0) throw new MmdbError(`it has a record that is deeper than ${MOST_DEPTH}`);
    const value = decode();
    this.#depth += 1;
    return value;
  }
}
