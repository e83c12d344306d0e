import { type IpAddress, parseAddress } from '@vantage/shared/target-policy/address.js';
import type { DecodeBudget } from './decode-budget.js';
import { decodeValue } from './decode-value.js';
import { type Metadata, readSections } from './metadata.js';
import { MmdbError } from './mmdb-error.js';

// A node of the search tree has two records, for the next bit of an address: another node, `node count` for nothing, or
// more for data, at that offset of the data section plus its distance of 16 bytes from the tree.
//
//   24, 32 bits    left, right
//   28 bits        lower 24 of left; upper four of left and of right in one byte; lower 24 of right

/** Distance of offsets of data from the node count. */
const DATA_BASE = 16;
/** Bits before an IPv4 address in a tree of IPv6: it is below ::/96. */
const BITS_BEFORE_IPV4 = 96;

/** Addresses across the whole range: data that is truncated or overwritten shows there. */
const samples = ['1.0.0.1', '100.0.0.1', '223.255.255.254', '2001:200::1', '2a00::1', '2c0f:ffff::1'].map(parseAddress);

/** Record of an address; null if the range has none. */
export interface MmdbRange {
  readonly record: unknown;
  /** Bits of the address that its range has in common: 0 to 32, or 128 for IPv6. */
  readonly prefixLength: number;
}

/**
 * A MaxMind DB file in memory. Every read is bounded, whatever the file contains: by the bits of an address in the search
 * tree, and by a budget in the data.
 */
export class MmdbReader {
  readonly metadata: Metadata;
  readonly #tree: Buffer;
  readonly #data: Buffer;
  readonly #ipv4Start: number;

  /** Takes ownership of the bytes. @throws MmdbError */
  constructor(bytes: Buffer) {
    const { metadata, tree, data } = readSections(bytes);
    this.metadata = metadata;
    this.#tree = tree;
    this.#data = data;
    this.#ipv4Start = metadata.ipVersion === 4 ? 0 : this.#follow(0, new Uint32Array(4), BITS_BEFORE_IPV4).record;
    for (const address of samples) if (address !== null && this.covers(address)) this.find(address);
  }

  /** True if addresses of this family are in the tree. */
  covers({ family }: Pick<IpAddress, 'family'>): boolean {
    return family === 4 || this.metadata.ipVersion === 6;
  }

  /** Range of an address that is covered. @throws MmdbError if its record is damaged, or takes more than the budget */
  find(address: IpAddress, budget?: DecodeBudget): MmdbRange {
    const isIPv4 = address.family === 4;
    const words = isIPv4 ? Uint32Array.of(Number(address.value)) : wordsOf(address.value);
    const { record, depth } = this.#follow(isIPv4 ? this.#ipv4Start : 0, words, isIPv4 ? 32 : 128);
    const { nodeCount } = this.metadata;
    if (record < nodeCount) throw new MmdbError('it has a search tree that is deeper than an address');
    if (record === nodeCount) return { record: null, prefixLength: depth };
    if (record < nodeCount + DATA_BASE) throw new MmdbError('it has a record outside of its data');
    return { record: decodeValue(this.#data, record - nodeCount - DATA_BASE, budget), prefixLength: depth };
  }

  /** Follows the first bits of an address from a record, as far as there are nodes. */
  #follow(from: number, words: Uint32Array, bits: number): { readonly record: number; readonly depth: number } {
    let [record, depth] = [from, 0];
    for (; depth < bits && record < this.metadata.nodeCount; depth += 1) {
      const isRight = (((words[depth >>> 5] ?? 0) >>> (31 - (depth & 31))) & 1) === 1;
      record = isRight ? this.#right(record) : this.#left(record);
    }
    return { record, depth };
  }

  #left(node: number): number {
    const { recordSize } = this.metadata;
    const at = (node * recordSize) / 4;
    if (recordSize !== 28) return this.#tree.readUIntBE(at, recordSize / 8);
    return ((this.#tree.readUInt8(at + 3) & 0xf0) << 20) | this.#tree.readUIntBE(at, 3);
  }

  #right(node: number): number {
    const { recordSize } = this.metadata;
    const at = (node * recordSize) / 4;
    if (recordSize !== 28) return this.#tree.readUIntBE(at + recordSize / 8, recordSize / 8);
    return ((this.#tree.readUInt8(at + 3) & 0x0f) << 24) | this.#tree.readUIntBE(at + 4, 3);
  }
}

function wordsOf(value: bigint): Uint32Array {
  return Uint32Array.of(...[96n, 64n, 32n, 0n].map((shift) => Number((value >> shift) & 0xffff_ffffn)));
}
