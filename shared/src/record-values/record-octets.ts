import { lowerCase } from './lower-case.js';

/** Data of a record in wire format, field by field; names are not compressed. */
export class RecordOctets {
  readonly #octets: Buffer;
  #offset = 0;

  constructor(octets: Buffer) {
    this.#octets = octets;
  }

  get isAtEnd(): boolean {
    return this.#offset === this.#octets.length;
  }

  /** @throws RangeError when fewer are left */
  take(count: number): Buffer {
    const start = this.#offset;
    if (start + count > this.#octets.length) throw new RangeError('the data are too short');
    this.#offset = start + count;
    return this.#octets.subarray(start, this.#offset);
  }

  /** All octets up to the end. */
  rest(): Buffer {
    return this.take(this.#octets.length - this.#offset);
  }

  /** The octets behind one of length. @throws RangeError */
  prefixed(): Buffer {
    return this.take(this.take(1)[0] ?? 0);
  }

  /** A name in lower case. @throws RangeError */
  name(): Buffer {
    const start = this.#offset;
    while (this.prefixed().length > 0);
    return lowerCase(this.#octets.subarray(start, this.#offset));
  }

  /** Strings up to the end, joined. @throws RangeError */
  joinedStrings(): Buffer {
    const strings: Buffer[] = [];
    while (!this.isAtEnd) strings.push(this.prefixed());
    return Buffer.concat(strings);
  }
}
