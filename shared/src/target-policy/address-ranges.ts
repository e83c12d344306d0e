import { type IpAddress, parseAddress } from './address.js';

/** All addresses of one prefix. A prefix inside ::ffff:0:0/96 is an IPv4 prefix. */
export interface Cidr {
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly last: bigint;
}

/**
 * Reads `address/bits`, or an address alone as its longest prefix; null when it is neither or when bits are set after
 * the prefix.
 */
export function parseCidr(text: string): Cidr | null {
  const slash = text.indexOf('/');
  const written = slash < 0 ? text : text.slice(0, slash);
  const address = parseAddress(written);
  if (address === null) return null;
  const bits = slash < 0 ? longestPrefix(address) : prefixBits(text.slice(slash + 1), address, written.includes(':'));
  if (bits === null) return null;
  const hostMask = (1n << BigInt(longestPrefix(address) - bits)) - 1n;
  if ((address.value & hostMask) !== 0n) return null;
  return { family: address.family, first: address.value, last: address.value | hostMask };
}

/** True if the prefix contains the address. */
export function isInside(cidr: Cidr, address: IpAddress): boolean {
  return cidr.family === address.family && cidr.first <= address.value && address.value <= cidr.last;
}

/** The prefix of one address. */
export function cidrOf({ family, value }: IpAddress): Cidr {
  return { family, first: value, last: value };
}

/** A set of prefixes of any size, asked in logarithmic time. */
export class AddressRanges {
  private readonly v4: DisjointRanges;
  private readonly v6: DisjointRanges;

  constructor(cidrs: readonly Cidr[]) {
    this.v4 = mergeRanges(cidrs.filter((cidr) => cidr.family === 4));
    this.v6 = mergeRanges(cidrs.filter((cidr) => cidr.family === 6));
  }

  /** True if any of the prefixes contains the address. */
  has(address: IpAddress): boolean {
    return this.covers(cidrOf(address));
  }

  /** True if every address of the prefix is in the set. */
  covers({ family, first, last }: Cidr): boolean {
    const { firsts, lasts } = this.rangesOf(family);
    const next = countUpTo(firsts, first);
    return next > 0 && last <= (lasts[next - 1] as bigint);
  }

  /** The lowest address of the prefix that is in the set and not in `others`; null when there is none. */
  firstIn({ family, first, last }: Cidr, others: AddressRanges): IpAddress | null {
    let value = first;
    while (value <= last) {
      const here = this.endAround({ family, value });
      const end = here === null ? null : others.endAround({ family, value });
      if (here !== null && end === null) return { family, value };
      const next = end === null ? this.startAfter({ family, value }) : end + 1n;
      if (next === null) return null;
      value = next;
    }
    return null;
  }

  /** The last address of the range that has the address; null when none has. */
  private endAround({ family, value }: IpAddress): bigint | null {
    const { firsts, lasts } = this.rangesOf(family);
    const end = lasts[countUpTo(firsts, value) - 1];
    return end !== undefined && value <= end ? end : null;
  }

  private startAfter({ family, value }: IpAddress): bigint | null {
    const { firsts } = this.rangesOf(family);
    return firsts[countUpTo(firsts, value)] ?? null;
  }

  private rangesOf(family: 4 | 6): DisjointRanges {
    return family === 4 ? this.v4 : this.v6;
  }
}

/** Number of the ascending numbers that are at most `limit`. */
function countUpTo(ascending: readonly bigint[], limit: bigint): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as bigint) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Ascending, none touching another: range i goes from `firsts[i]` to `lasts[i]`. */
interface DisjointRanges {
  readonly firsts: readonly bigint[];
  readonly lasts: readonly bigint[];
}

function mergeRanges(cidrs: readonly Cidr[]): DisjointRanges {
  const sorted = [...cidrs].sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  const firsts: bigint[] = [];
  const lasts: bigint[] = [];
  for (const { first, last } of sorted) {
    const previous = lasts.at(-1);
    if (previous !== undefined && first <= previous + 1n) {
      lasts[lasts.length - 1] = last > previous ? last : previous;
    } else {
      firsts.push(first);
      lasts.push(last);
    }
  }
  return { firsts, lasts };
}

function longestPrefix(address: IpAddress): number {
  return address.family === 4 ? 32 : 128;
}

function prefixBits(text: string, address: IpAddress, isWrittenAsIPv6: boolean): number | null {
  if (!/^(0|[1-9]\d{0,2})$/.test(text)) return null;
  const isMapped = isWrittenAsIPv6 && address.family === 4;
  const bits = Number(text) - (isMapped ? 96 : 0);
  return bits < 0 || bits > longestPrefix(address) ? null : bits;
}
