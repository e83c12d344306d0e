import { formatAddress, type IpAddress } from '@vantage/shared/target-policy/address.js';
import type { Entries } from './score.js';

// Prefixes are nested or apart. Sorted by first address and length, a prefix follows those that contain it; it is
// dropped if one does. The rest is disjoint, and one binary search finds the widest entry of an address. In IPv4 it begins
// in the rows of the first two octets: the memory that a search across all rows touches is in no cache.

/** Factor of the first address in the key of an IPv4 prefix; the length is added. A key has 38 bits. */
export const KEY_FACTOR = 64;
/** Numbers of an IPv6 prefix in its row: four words of the first address, most significant first, and the length. */
export const V6_WIDTH = 5;

/** Sorted, disjoint prefixes of both families in arrays of numbers. */
export interface AddressTable {
  readonly v4: Prefixes;
  /** Row of the first prefix from each pair of first octets on; the last is the number of rows. */
  readonly v4Starts: Uint32Array<ArrayBuffer>;
  readonly v6: Prefixes;
}

/** Sorts keys of IPv4 prefixes, in place, and rows of IPv6 prefixes. */
export function sortPrefixes(v4Keys: Float64Array, v6Rows: Uint32Array): AddressTable {
  const v4 = prefixes(v4Keys.length, 1);
  for (const key of v4Keys.sort()) addUnlessInside(v4, [Math.floor(key / KEY_FACTOR)], key % KEY_FACTOR);
  const v6 = prefixes(v6Rows.length / V6_WIDTH, 4);
  for (const at of sortedV6(v6Rows)) addUnlessInside(v6, v6Rows.subarray(at, at + 4), v6Rows[at + 4] as number);
  return { v4: trimmed(v4), v4Starts: startsOf(v4), v6: trimmed(v6) };
}

/** Beginnings of IPv6 rows, in their order. */
function sortedV6(rows: Uint32Array): Uint32Array {
  const starts = Uint32Array.from({ length: rows.length / V6_WIDTH }, (_, row) => row * V6_WIDTH);
  return starts.sort((a, b) => {
    for (let i = 0; i < V6_WIDTH; i += 1) {
      const difference = (rows[a + i] as number) - (rows[b + i] as number);
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

/** Entries of a table. */
export class AddressEntries implements Entries {
  constructor(private readonly table: AddressTable) {}

  /** Number of disjoint prefixes. */
  get count(): number {
    return this.table.v4.count + this.table.v6.count;
  }

  /** Bytes of the arrays. */
  get bytes(): number {
    const rows = [this.table.v4, this.table.v6].map(({ firsts, lengths }) => firsts.byteLength + lengths.byteLength);
    return rows.reduce((sum, bytes) => sum + bytes, this.table.v4Starts.byteLength);
  }

  find({ family, value }: IpAddress): string | null {
    if (family === 4) return this.#findV4(Number(value));
    const words = wordsOf(6, value);
    const row = lastRowUpTo(this.table.v6, words);
    return row >= 0 && isInside(this.table.v6, row, words) ? v6Text(this.table.v6, row) : null;
  }

  /** The same with single numbers: nearly all addresses are of IPv4, and the general search takes three times as long. */
  #findV4(address: number): string | null {
    const { firsts, lengths } = this.table.v4;
    let low = this.table.v4Starts[address >>> 16] as number;
    let high = this.table.v4Starts[(address >>> 16) + 1] as number;
    while (low < high) {
      const row = (low + high) >>> 1;
      if ((firsts[row] as number) <= address) low = row + 1;
      else high = row;
    }
    const row = low - 1;
    if (row < 0) return null;
    const end = (firsts[row] as number) + 2 ** (32 - (lengths[row] as number));
    return address < end ? v4Text(firsts[row] as number, lengths[row] as number) : null;
  }
}

interface Prefixes {
  /** First addresses, `words` numbers each, ascending. */
  readonly firsts: Uint32Array<ArrayBuffer>;
  readonly lengths: Uint8Array<ArrayBuffer>;
  readonly words: number;
  count: number;
}

/** 32-bit words of an address, most significant first. */
export function wordsOf(family: 4 | 6, value: bigint): number[] {
  if (family === 4) return [Number(value)];
  return [96n, 64n, 32n, 0n].map((shift) => Number((value >> shift) & 0xffff_ffffn));
}

function prefixes(room: number, words: number): Prefixes {
  return { firsts: new Uint32Array(room * words), lengths: new Uint8Array(room), words, count: 0 };
}

/** First rows by the first two octets of IPv4. */
function startsOf({ firsts, count }: Prefixes): Uint32Array<ArrayBuffer> {
  const starts = new Uint32Array(0x1_0000 + 1).fill(count);
  for (let row = count - 1; row >= 0; row -= 1) starts[(firsts[row] as number) >>> 16] = row;
  for (let pair = 0xffff; pair >= 0; pair -= 1)
    starts[pair] = Math.min(starts[pair] as number, starts[pair + 1] as number);
  return starts;
}

/** The same without the room that dropped prefixes left. */
function trimmed({ firsts, lengths, words, count }: Prefixes): Prefixes {
  if (count === lengths.length) return { firsts, lengths, words, count };
  return { firsts: firsts.slice(0, count * words), lengths: lengths.slice(0, count), words, count };
}

function addUnlessInside(set: Prefixes, first: ArrayLike<number>, length: number): void {
  if (set.count > 0 && isInside(set, set.count - 1, first)) return;
  for (let i = 0; i < set.words; i += 1) set.firsts[set.count * set.words + i] = first[i] as number;
  set.lengths[set.count] = length;
  set.count += 1;
}

/** The last prefix that begins at or before an address; -1: none. */
function lastRowUpTo({ firsts, words, count }: Prefixes, address: ArrayLike<number>): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const row = (low + high) >>> 1;
    let difference = 0;
    for (let i = 0; i < words && difference === 0; i += 1)
      difference = (firsts[row * words + i] as number) - (address[i] as number);
    if (difference <= 0) low = row + 1;
    else high = row;
  }
  return low - 1;
}

/** True if the first bits of an address are those of the prefix. */
function isInside({ firsts, lengths, words }: Prefixes, row: number, address: ArrayLike<number>): boolean {
  let bits = lengths[row] as number;
  for (let i = 0; i < words && bits > 0; i += 1, bits -= 32) {
    const differing = (firsts[row * words + i] as number) ^ (address[i] as number);
    if (bits >= 32 ? differing !== 0 : differing >>> (32 - bits) !== 0) return false;
  }
  return true;
}

function v4Text(first: number, length: number): string {
  return `${first >>> 24}.${(first >>> 16) & 255}.${(first >>> 8) & 255}.${first & 255}/${length}`;
}

function v6Text({ firsts, lengths, words }: Prefixes, row: number): string {
  let value = 0n;
  for (let i = 0; i < words; i += 1) value = (value << 32n) | BigInt(firsts[row * words + i] as number);
  return `${formatAddress({ family: 6, value })}/${lengths[row]}`;
}
