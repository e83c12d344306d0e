import { parseCidr } from '@vantage/shared/target-policy/address-ranges.js';
import { refusedIPv4 } from '@vantage/shared/target-policy/refused-ranges.js';

const LF = 10;
const CR = 13;
const DOT = 46;
const SLASH = 47;
const ZERO = 48;

/** By first octet: 1 where some addresses are refused, and lines are read in the general way. */
const mixedOctets = new Uint8Array(256);
for (const { cidr } of refusedIPv4) {
  const range = parseCidr(cidr);
  if (range !== null) mixedOctets.fill(1, Number(range.first >> 24n), Number(range.last >> 24n) + 1);
}

/** A prefix that was read from bytes. */
export interface PlainPrefix {
  first: number;
  length: number;
  /** Index after the end of the line. */
  next: number;
}

/**
 * Reads a line that is only an IPv4 address or CIDR from bytes, the form of nearly every line of large lists, into
 * `prefix`. False for any other line, and for one that needs a closer look: that is for `readLine`.
 */
export function readPlainIPv4(bytes: Uint8Array, start: number, prefix: PlainPrefix): boolean {
  let at = start;
  let value = 0;
  for (let octet = 0; octet < 4; octet += 1) {
    if (octet > 0 && bytes[at++] !== DOT) return false;
    const first = (bytes[at] as number) - ZERO;
    if (!(first >= 0 && first <= 9)) return false;
    let part = first;
    at += 1;
    for (let digit = (bytes[at] as number) - ZERO; digit >= 0 && digit <= 9; digit = (bytes[at] as number) - ZERO) {
      if (part === 0 || part > 25) return false;
      part = part * 10 + digit;
      at += 1;
    }
    if (part > 255) return false;
    value = value * 256 + part;
  }
  let length = 32;
  if (bytes[at] === SLASH) {
    length = (bytes[at + 1] as number) - ZERO;
    if (!(length >= 1 && length <= 9)) return false;
    at += 2;
    const digit = (bytes[at] as number) - ZERO;
    if (digit >= 0 && digit <= 9) {
      length = length * 10 + digit;
      at += 1;
    }
  }
  if (bytes[at] === CR) at += 1;
  if (bytes[at] !== LF || length < 8 || length > 32) return false;
  if (value % 2 ** (32 - length) !== 0 || mixedOctets[Math.floor(value / 0x100_0000)] === 1) return false;
  prefix.first = value;
  prefix.length = length;
  prefix.next = at + 1;
  return true;
}
