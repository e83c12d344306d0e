import { AddressRanges, type Cidr, parseCidr } from '@vantage/shared/target-policy/address-ranges.js';
import { refusedIPv4, refusedIPv6 } from '@vantage/shared/target-policy/refused-ranges.js';
import { KEY_FACTOR, wordsOf } from './address-entries.js';
import { isReservedAsn } from './asn-entries.js';
import type { GrowingRows } from './growing-rows.js';

/** Formats of lists that are text; `mmdb` is read by its own reader. */
export const textFormats = ['addresses', 'cidrs', 'asns', 'tor_exit'] as const;
export type TextFormat = (typeof textFormats)[number];

/** Reading of a line: taken, refused because of the range it names, unreadable, or without an entry. */
export type LineOutcome = 'taken' | 'refused' | 'unreadable' | 'empty';

/** Rows of a list, by kind of entry. */
export interface ListRows {
  /** Keys of IPv4 prefixes. */
  readonly v4: GrowingRows<Float64Array<ArrayBuffer>>;
  /** Rows of IPv6 prefixes. */
  readonly v6: GrowingRows<Uint32Array<ArrayBuffer>>;
  readonly asns: GrowingRows<Uint32Array<ArrayBuffer>>;
}

/** Shortest prefixes that a list may have: a wider one is a mistake of its maker. */
const MIN_BITS = { 4: 8, 6: 19 } as const;
const refusedRanges = new AddressRanges(
  [...refusedIPv4, ...refusedIPv6].map(({ cidr }) => parseCidr(cidr)).filter((cidr) => cidr !== null),
);
/** Lines of the Tor Project's exit lists that have no address. */
const torLines = /^(?:ExitNode|Published|LastStatus)\s/;

/** Reads a line of a list, without its end, into rows. Text after the entry is a remark. */
export function readLine(text: string, format: TextFormat, rows: ListRows): LineOutcome {
  const line = text.trim();
  if (line === '' || /^(?:[#;]|\/\/)/.test(line)) return 'empty';
  if (format === 'tor_exit') return readTorLine(line, rows);
  const entry = /^[^\s#;,]+/.exec(line)?.[0] ?? '';
  if (format === 'asns') return readAsn(entry, rows);
  return format === 'addresses' && entry.includes('/') ? 'unreadable' : readCidr(entry, rows);
}

/** True if every address of the prefix is outside of the public Internet. */
export function isRefusedRange(cidr: Cidr): boolean {
  return refusedRanges.covers(cidr);
}

function readTorLine(line: string, rows: ListRows): LineOutcome {
  if (torLines.test(line)) return 'empty';
  const address = /^(?:ExitAddress\s+)?([^\s#;,/]+)(?=[\s#;,]|$)/.exec(line)?.[1];
  return address === undefined ? 'unreadable' : readCidr(address, rows);
}

function readAsn(entry: string, { asns }: ListRows): LineOutcome {
  const digits = /^(?:AS)?(\d{1,10})$/i.exec(entry)?.[1];
  const asn = Number(digits ?? Number.NaN);
  if (!(asn <= 0xffff_ffff)) return 'unreadable';
  if (isReservedAsn(asn)) return 'refused';
  asns.push(asn);
  return 'taken';
}

function readCidr(entry: string, rows: ListRows): LineOutcome {
  const cidr = parseCidr(entry);
  if (cidr === null) return 'unreadable';
  const { family, first, last } = cidr;
  const length = (family === 4 ? 32 : 128) - (last - first + 1n).toString(2).length + 1;
  if (length < MIN_BITS[family] || isRefusedRange(cidr)) return 'refused';
  if (family === 4) rows.v4.push(Number(first) * KEY_FACTOR + length);
  else for (const number of [...wordsOf(6, first), length]) rows.v6.push(number);
  return 'taken';
}
