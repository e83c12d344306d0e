import { DecodeBudget } from './decode-budget.js';
import { MmdbError } from './mmdb-error.js';

// A value (https://maxmind.github.io/MaxMind-DB/):
//
//   TTTSSSSS [type - 7] [size] payload     the second byte if TTT is 0; 1 to 3 bytes of size if SSSSS is 29 to 31
//   001SSVVV [value]                       pointer to a value at an offset of the section; never to another pointer

const POINTER = 1;
/** Greatest size of the payload of a number, in bytes, by its type. */
const integerBytes: Readonly<Record<number, number>> = { 5: 2, 6: 4, 8: 4, 9: 8, 10: 16 };
/** Smallest offsets of pointers with one, two, three and four further bytes. */
const pointerBases = [0, 2_048, 526_336, 0] as const;

/**
 * Value at an offset of a section, with its pointers resolved: a map is an object, integers of 64 and 128 bits are
 * bigint. @throws MmdbError if the section is damaged, or the budget does not suffice
 */
export function decodeValue(section: Buffer, offset: number, budget = new DecodeBudget()): unknown {
  budget.takeValues(1);
  return new Decoder(section, offset, budget).value();
}

class Decoder {
  constructor(
    private readonly section: Buffer,
    /** Offset of the next byte. */
    private at: number,
    private readonly budget: DecodeBudget,
  ) {}

  /** The value at the offset, which is behind it afterwards. */
  value(): unknown {
    const control = this.#number(1);
    return control >> 5 === POINTER ? this.#pointed(control) : this.#plain(control);
  }

  #pointed(control: number): unknown {
    const further = ((control >> 3) & 3) + 1;
    const upper = further === 4 ? 0 : (control & 7) * 256 ** further;
    const offset = upper + this.#number(further) + (pointerBases[further - 1] ?? 0);
    const decoder = new Decoder(this.section, offset, this.budget);
    return this.budget.nested(() => decoder.#notPointer());
  }

  #notPointer(): unknown {
    const control = this.#number(1);
    if (control >> 5 === POINTER) throw new MmdbError('it has a pointer to a pointer');
    return this.#plain(control);
  }

  #plain(control: number): unknown {
    const type = control >> 5 === 0 ? this.#number(1) + 7 : control >> 5;
    const size = this.#sizeOf(control & 31);
    switch (type) {
      case 2:
        return this.#text(size);
      case 3:
        return this.#payload(size, 8).readDoubleBE();
      case 4:
        return this.#bytes(size);
      case 7:
        return this.#map(size);
      case 11:
        return this.#list(size);
      case 14:
        return size !== 0;
      case 15:
        return this.#payload(size, 4).readFloatBE();
      default:
        return this.#integer(type, size);
    }
  }

  #sizeOf(bits: number): number {
    if (bits < 29) return bits;
    return this.#number(bits - 28) + ([29, 285, 65_821][bits - 29] ?? 0);
  }

  #text(size: number): string {
    this.budget.takeBytes(size);
    const start = this.#skip(size);
    return this.section.toString('utf8', start, this.at);
  }

  #bytes(size: number): Buffer {
    const start = this.#skip(size);
    return this.section.subarray(start, this.at);
  }

  #payload(size: number, expected: number): Buffer {
    if (size !== expected) throw new MmdbError(`it has a number of ${size} bytes instead of ${expected}`);
    return this.#bytes(size);
  }

  #integer(type: number, size: number): number | bigint {
    const most = integerBytes[type];
    if (most === undefined) throw new MmdbError(`it has a value of the unknown type ${type}`);
    if (size > most) throw new MmdbError(`it has a number of ${size} bytes instead of ${most}`);
    if (most > 4) return size === 0 ? 0n : BigInt(`0x${this.#bytes(size).toString('hex')}`);
    // fewer bytes than four have no sign
    return type === 8 && size === 4 ? this.#bytes(size).readInt32BE() : this.#number(size);
  }

  #list(size: number): readonly unknown[] {
    this.budget.takeValues(size);
    return this.budget.nested(() => Array.from({ length: size }, () => this.value()));
  }

  #map(size: number): object {
    this.budget.takeValues(2 * size);
    return this.budget.nested(() =>
      Object.fromEntries(Array.from({ length: size }, () => [this.#key(), this.value()])),
    );
  }

  #key(): string {
    const key = this.value();
    if (typeof key !== 'string') throw new MmdbError('it has a map with a name that is no text');
    return key;
  }

  /** Unsigned number of 0 to 4 bytes. */
  #number(bytes: number): number {
    const start = this.#skip(bytes);
    return bytes === 0 ? 0 : this.section.readUIntBE(start, bytes);
  }

  /** Goes on by some bytes. @returns where they start */
  #skip(bytes: number): number {
    const start = this.at;
    if (start + bytes > this.section.length) throw new MmdbError('it ends in the middle of a record');
    this.at += bytes;
    return start;
  }
}
