import { MAX_NETWORK_CIDRS } from '@vantage/shared/probe-types/domain.js';
import { formatAddress, type IpAddress, parseAddress } from '@vantage/shared/target-policy/address.js';
import { type Cidr, isInside, parseCidr } from '@vantage/shared/target-policy/address-ranges.js';

/** The range between two addresses as texts; null for what is no range. */
export function rangeBetween(first: unknown, last: unknown): Cidr | null {
  const start = typeof first === 'string' ? parseAddress(first.trim()) : null;
  const end = typeof last === 'string' ? parseAddress(last.trim()) : null;
  if (start === null || end === null || start.family !== end.family || start.value > end.value) return null;
  return { family: start.family, first: start.value, last: end.value };
}

/** A range as registries write it: `192.0.2.0 - 192.0.2.255`, `192.0.2.0/24` or `192.0.2/24`; null for anything else. */
export function parseRange(text: string): Cidr | null {
  const [first = '', last] = text.split(/\s+-\s+/, 2);
  if (last !== undefined) return rangeBetween(first, last);
  const [, short, bits] = /^([\d.]+)\/(\d{1,2})$/.exec(first.trim()) ?? [];
  if (short === undefined) return parseCidr(first.trim());
  const padding = '.0'.repeat(Math.max(0, 4 - short.split('.').length));
  return parseCidr(`${short}${padding}/${bits}`);
}

/** True if a range contains an address given as text. */
export function contains(range: Cidr, address: string): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && isInside(range, parsed);
}

/** The blocks that make up a range, each `address/bits`, as many as a result keeps. */
export function blocksOf({ family, first, last }: Cidr): string[] {
  const width = family === 4 ? 32 : 128;
  const blocks: string[] = [];
  let value = first;
  while (value <= last && blocks.length < MAX_NETWORK_CIDRS) {
    let size = 0;
    while (size < width && fits({ family, value }, size + 1, last)) size += 1;
    blocks.push(`${formatAddress({ family, value })}/${width - size}`);
    value += 1n << BigInt(size);
  }
  return blocks;
}

function fits({ value }: IpAddress, size: number, last: bigint): boolean {
  const length = 1n << BigInt(size);
  return value % length === 0n && value + length - 1n <= last;
}
