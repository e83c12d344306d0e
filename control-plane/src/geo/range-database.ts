import { parseAddress } from '@vantage/shared/target-policy/address.js';
import { MmdbReader } from './mmdb/mmdb-reader.js';

/** A database is not an .mmdb file, or not a whole one. */
export class RangeDatabaseError extends Error {
  override readonly name = 'RangeDatabaseError';
}

/** Records of ranges of addresses, whatever their members, in an .mmdb file in memory. */
export class RangeDatabase {
  readonly #reader: MmdbReader;

  /** Takes ownership of the bytes. @throws RangeDatabaseError */
  constructor(bytes: Buffer) {
    try {
      this.#reader = new MmdbReader(bytes);
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
  find(text: string): { readonly record: object; readonly prefixLength: number } | null {
    const address = parseAddress(text);
    if (address === null || !this.#reader.covers(address)) return null;
    try {
      const { record, prefixLength } = this.#reader.find(address);
      return typeof record === 'object' && record !== null ? { record, prefixLength } : null;
    } catch {
      // a damaged record is an unknown address
      return null;
    }
  }
}
