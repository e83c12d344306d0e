import { ExactNumber } from '@vantage/shared/exact-number.js';
import { MAX_VALUE_BYTES, MAX_VALUES } from './limits.js';

/** Greatest depth of a value that a result keeps. */
const MAX_DEPTH = 16;

class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
}

/**
 * The first values that fit into a result, each whole: one that does not fit ends the list, and `truncated` says so.
 * Texts lose what cannot be stored: U+0000 and halves of surrogate pairs.
 */
export function keepValues(found: readonly unknown[]): { values: unknown[]; truncated: boolean } {
  const values: unknown[] = [];
  const room = new Room(MAX_VALUE_BYTES);
  try {
    for (const value of found.slice(0, MAX_VALUES)) values.push(room.copyOf(value, MAX_DEPTH));
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error;
  }
  return { values, truncated: values.length < found.length };
}

/** Remaining space for copies, counted as their JSON; examines no more of a value than fits. */
class Room {
  #bytesLeft: number;

  constructor(bytes: number) {
    this.#bytesLeft = bytes;
  }

  /** @throws TooLargeError */
  copyOf(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null || value instanceof ExactNumber) {
      this.#take(String(value).length + 3);
      return value;
    }
    if (depth === 0) throw new TooLargeError();
    // brackets, and the comma behind
    this.#take(3);
    if (Array.isArray(value)) return value.map((member) => this.copyOf(member, depth - 1));
    const copy: Record<string, unknown> = {};
    for (const name in value) {
      // a plain assignment of this name would set a prototype
      const member = { value: this.copyOf(Reflect.get(value, name), depth - 1), enumerable: true };
      Object.defineProperty(copy, this.#text(name), { ...member, writable: true, configurable: true });
    }
    return copy;
  }

  #text(text: string): string {
    this.#take(3 + Buffer.byteLength(text));
    const clean = text.replace(/[\0\p{Surrogate}]/gu, '');
    // characters that JSON escapes take more
    this.#take(JSON.stringify(clean).length - clean.length - 2);
    return clean;
  }

  #take(bytes: number): void {
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft < 0) throw new TooLargeError();
  }
}
