import { Reader } from 'maxmind';

/** A database is not an .mmdb file, or not a whole one. */
export class RangeDatabaseError extends Error {
  override readonly name = 'RangeDatabaseError';
}

/** Addresses across the whole range: data that is truncated shows there. */
const samples = ['1.0.0.1', '100.0.0.1', '223.255.255.254', '2001:200::1', '2a00::1', '2c0f:ffff::1'];

/** Records of ranges of addresses, whatever their members, in an .mmdb file in memory. */
export class RangeDatabase {
  readonly #reader: Reader<object>;

  /** Takes ownership of the bytes. @throws RangeDatabaseError */
  constructor(bytes: Buffer) {
    try {
      this.#reader = new Reader<object>(bytes);
      if (!(this.count > 0)) throw new Error('its search tree is empty');
      for (const address of samples) if (!this.#isWithout(address)) this.#reader.get(address);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new RangeDatabaseError(`is not a whole .mmdb file: ${reason}`, { cause });
    }
  }

  /** Nodes of its search tree, about as many as it has ranges. */
  get count(): number {
    return this.#reader.metadata.nodeCount;
  }

  /** Record of an address in canonical text, with the length of its prefix; null if it has none. */
  find(address: string): { readonly record: object; readonly prefixLength: number } | null {
    if (this.#isWithout(address)) return null;
    try {
      const [record, prefixLength] = this.#reader.getWithPrefixLength(address);
      return typeof record === 'object' && record !== null ? { record, prefixLength } : null;
    } catch {
      // a damaged record is an unknown address
      return null;
    }
  }

  #isWithout(address: string): boolean {
    return this.#reader.metadata.ipVersion === 4 && address.includes(':');
  }
}
