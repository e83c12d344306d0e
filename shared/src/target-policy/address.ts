import ipaddr from 'ipaddr.js';

/** An address as a number, so that judging it never looks at how it was written. IPv4-mapped IPv6 is IPv4 here. */
export interface IpAddress {
  readonly family: 4 | 6;
  /** 32 or 128 bits, most significant first. */
  readonly value: bigint;
}

/** The first 96 bits of an IPv4-mapped address, ::ffff:0:0/96 (RFC 4291 section 2.5.5.2). */
const MAPPED_PREFIX = 0xffffn;

const ZERO = '0'.charCodeAt(0);
/** Distance of the dot from the character 0. */
const DOT = '.'.charCodeAt(0) - ZERO;

/**
 * The address a text stands for, or null. Accepts four decimal parts and every form of RFC 4291 section 2.2; not the
 * short, hexadecimal and octal IPv4 forms of inet_aton, no zone.
 */
export function parseAddress(text: string): IpAddress | null {
  return text.includes(':') ? parseIPv6(text) : parseIPv4(text);
}

/** Canonical text: dotted decimal, or RFC 5952. */
export function formatAddress({ family, value }: IpAddress): string {
  if (family === 4) return formatIPv4(Number(value));
  return new ipaddr.IPv6(splitGroups(value, 8)).toRFC5952String();
}

/**
 * True if `text` is the required notation of `address`: dotted decimal or RFC 5952, where mapped addresses may be
 * dotted.
 */
export function isCanonical(address: IpAddress, text: string): boolean {
  const canonical = formatAddress(address);
  if (text === canonical || address.family === 6) return text === canonical;
  const mapped = formatAddress({ family: 6, value: (MAPPED_PREFIX << 32n) | address.value });
  return text === mapped || text === `::ffff:${canonical}`;
}

function parseIPv4(text: string): IpAddress | null {
  const bits = readDottedDecimal(text);
  return bits === null ? null : { family: 4, value: BigInt(bits) };
}

/**
 * The 32 bits of four decimal parts of at most 255 without leading zeros, which other parsers take for octal numbers;
 * null for any other text. One pass over the characters: strangers send tens of thousands of addresses at once.
 */
function readDottedDecimal(text: string): number | null {
  let [bits, part, digits, dots] = [0, 0, 0, 0];
  for (let index = 0; index < text.length; index += 1) {
    const digit = text.charCodeAt(index) - ZERO;
    if (digit >= 0 && digit <= 9) {
      if (digits > 0 && part === 0) return null;
      part = part * 10 + digit;
      digits += 1;
      if (part > 255) return null;
    } else {
      if (digit !== DOT || digits === 0 || dots === 3) return null;
      [bits, part, digits, dots] = [bits * 256 + part, 0, 0, dots + 1];
    }
  }
  return dots === 3 && digits > 0 ? bits * 256 + part : null;
}

function formatIPv4(bits: number): string {
  return `${bits >>> 24}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}`;
}

function parseIPv6(text: string): IpAddress | null {
  const hexadecimal = withoutDots(text);
  if (hexadecimal === null || /[^\da-f:]/i.test(hexadecimal)) return null;
  const parts = groupsOf(hexadecimal);
  if (parts === null) return null;
  const value = joinGroups(parts);
  return value >> 32n === MAPPED_PREFIX ? { family: 4, value: value & 0xffffffffn } : { family: 6, value };
}

/**
 * The last 32 bits as groups where they are written with dots: ipaddr.js takes "::1.2.3.4" for "::ffff:1.2.3.4", which
 * is another address, and "::ffff:01.2.3.4" for an address.
 */
function withoutDots(text: string): string | null {
  const dotted = /[^:]*\.[^:]*$/.exec(text)?.[0];
  if (dotted === undefined) return text;
  const tail = parseIPv4(dotted);
  if (tail === null) return null;
  return (
    text.slice(0, -dotted.length) +
    splitGroups(tail.value, 2)
      .map((group) => group.toString(16))
      .join(':')
  );
}

function groupsOf(text: string): readonly number[] | null {
  try {
    return ipaddr.IPv6.parse(text).parts;
  } catch {
    return null;
  }
}

function joinGroups(groups: readonly number[]): bigint {
  let value = 0n;
  for (const group of groups) value = (value << 16n) | BigInt(group);
  return value;
}

/** The last `count` groups of 16 bits. */
function splitGroups(value: bigint, count: number): number[] {
  return Array.from({ length: count }, (_, i) => Number((value >> (16n * BigInt(count - 1 - i))) & 0xffffn));
}
