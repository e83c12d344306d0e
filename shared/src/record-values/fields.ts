import { domainToASCII } from 'node:url';
import { type IpAddress, parseAddress } from '../target-policy/address.js';
import { encodeName } from './domain-name.js';
import { lowerCase } from './lower-case.js';
import { algorithms, certificateTypes } from './mnemonics.js';
import type { RecordOctets } from './record-octets.js';
import { recordTypeCode } from './record-types.js';
import type { WrittenValue } from './written-value.js';

/** One field of a record's data, as octets in which the letter case of names and tags is lower. */
export interface Field {
  /** Octets of the field as people write it. @throws RangeError for what is no such field */
  read(value: WrittenValue): Buffer;
  /** Octets of the field in wire format. @throws RangeError where the data end too soon */
  fold(data: RecordOctets): Buffer;
}

const rest = (data: RecordOctets) => data.rest();
const prefixed = (data: RecordOctets) => withLength(data.prefixed());

export const u8 = number(1);
export const u16 = number(2);
export const u32 = number(4);
export const algorithm = number(1, (word) => codeOf(word, algorithms));
export const certificateType = number(2, (word) => codeOf(word, certificateTypes));
export const typeName = number(2, (word) => typeCodeOf(word));
/** Seconds, also with the units of BIND: `1h30m`. */
export const seconds = number(4, (word) => secondsOf(word));
/** Time of a signature, also as YYYYMMDDHHmmSS (RFC 4034 section 3.2). */
export const time = number(4, (word) => timeOf(word));

export const name: Field = { read: (value) => nameOctets(value.word()), fold: (data) => data.name() };
export const ipv4: Field = { read: (value) => addressOctets(value.word(), 4), fold: (data) => data.take(4) };
export const ipv6: Field = { read: (value) => addressOctets(value.word(), 6), fold: (data) => data.take(16) };
/** A character-string (RFC 1035 section 3.3). */
export const string: Field = { read: (value) => withLength(value.string()), fold: prefixed };
/** A character-string of ASCII whose letter case means nothing. */
export const tag: Field = {
  read: (value) => withLength(lowerCase(value.string())),
  fold: (data) => withLength(lowerCase(data.prefixed())),
};
/** A text without a length, up to the end. */
export const text: Field = { read: (value) => value.text(), fold: rest };
/** Strings that are read as one text: SPF, DKIM and others join them without blanks (RFC 7208 section 3.3). */
export const joinedStrings: Field = { read: (value) => value.text(), fold: (data) => data.joinedStrings() };
export const hexDigits: Field = { read: (value) => hexOctets(value.joinedWords()), fold: rest };
export const base64: Field = { read: (value) => base64Octets(value.joinedWords()), fold: rest };
/** Salt of NSEC3, `-` without one (RFC 5155 section 3.3). */
export const salt: Field = {
  read: (value) => withLength(hexOctets(value.word().replace(/^-$/, ''))),
  fold: prefixed,
};
/** Hash of an owner's name (RFC 5155 section 3.3). */
export const base32: Field = { read: (value) => withLength(base32Octets(value.word())), fold: prefixed };
/** Digits behind `0x`, which dots may part (RFC 1706 section 6). */
export const nsap: Field = {
  read: (value) => hexOctets(value.word().replace(/^0x/i, '').replaceAll('.', '')),
  fold: rest,
};
/** Names of record types in any order, up to the end. */
export const types: Field = { read: (value) => typeBitmap(words(value)), fold: rest };
/** Four groups of hexadecimal digits (RFC 6742 section 2). */
export const locator: Field = { read: (value) => groupsOctets(value.word()), fold: (data) => data.take(8) };

/** A field again and again, up to the end. */
export function repeated(field: Field): Field {
  return {
    read: (value) => collect(() => (value.isAtEnd ? null : field.read(value))),
    fold: (data) => collect(() => (data.isAtEnd ? null : field.fold(data))),
  };
}

/** Octets of a hardware address: two digits each, with hyphens or colons between them (RFC 7043). */
export function hardware(bytes: number): Field {
  return {
    read: (value) => sized(hexOctets(value.word().replaceAll(/[-:.]/g, '')), bytes),
    fold: (data) => data.take(bytes),
  };
}

/** A number that is written in decimal, or as `codeOfWord` reads it. */
function number(bytes: 1 | 2 | 4, codeOfWord: (word: string) => number | null = () => null): Field {
  const read = (value: WrittenValue) => {
    const word = value.word();
    const found = codeOfWord(word) ?? (/^\d{1,10}$/.test(word) ? Number(word) : Number.NaN);
    return numberOctets(found, bytes);
  };
  return { read, fold: (data) => data.take(bytes) };
}

/** @throws RangeError for a number that does not fit */
export function numberOctets(value: number, bytes: 1 | 2 | 4): Buffer {
  if (!(value >= 0 && value < 256 ** bytes)) throw new RangeError('not a number of the field');
  const octets = Buffer.alloc(bytes);
  octets.writeUIntBE(value, 0, bytes);
  return octets;
}

/** A name in lower case; letters beyond ASCII are encoded (RFC 5890). */
function nameOctets(word: string): Buffer {
  const isPlain = word.includes('\\') || /^[\0-\x7f]*$/.test(word);
  return lowerCase(encodeName(isPlain ? word : domainToASCII(word) || word));
}

/** An IPv4-mapped address is the address it maps, in either type. @throws RangeError for what is no address */
export function addressOctets(word: string, family: 4 | 6): Buffer {
  const address = parseAddress(word);
  if (address === null) throw new RangeError('not an address');
  if (family === 4 && address.family === 6) throw new RangeError('not an address of IPv4');
  return family === 4 ? octetsOf(address.value, 4) : octetsOf(mapped(address), 16);
}

function mapped({ family, value }: IpAddress): bigint {
  return family === 6 ? value : (0xffffn << 32n) | value;
}

function octetsOf(value: bigint, bytes: number): Buffer {
  return Buffer.from(value.toString(16).padStart(bytes * 2, '0'), 'hex');
}

/** @throws RangeError for more than 255 octets */
export function withLength(octets: Buffer): Buffer {
  return Buffer.concat([numberOctets(octets.length, 1), octets]);
}

function sized(octets: Buffer, bytes: number): Buffer {
  if (octets.length !== bytes) throw new RangeError(`not ${bytes} octets`);
  return octets;
}

/** @throws RangeError for what is no even number of digits */
export function hexOctets(digits: string): Buffer {
  if (digits.length % 2 === 1 || /[^\da-f]/i.test(digits)) throw new RangeError('not hexadecimal');
  return Buffer.from(digits, 'hex');
}

/** With or without padding. @throws RangeError for other characters */
export function base64Octets(characters: string): Buffer {
  if (!/^[\w+/-]*={0,2}$/.test(characters)) throw new RangeError('not base64');
  return Buffer.from(characters, 'base64');
}

function base32Octets(characters: string): Buffer {
  if (!/^[\da-v]+=*$/i.test(characters)) throw new RangeError('not base32hex');
  const bits = [...characters.replaceAll('=', '')]
    .map((c) => Number.parseInt(c, 32).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
}

/** Four groups of hexadecimal digits (RFC 6742). */
function groupsOctets(word: string): Buffer {
  const groups = word.split(':');
  if (groups.length !== 4) throw new RangeError('not four groups');
  return hexOctets(groups.map((group) => group.padStart(4, '0')).join(''));
}

function codeOf(word: string, names: Readonly<Record<number, string>>): number | null {
  const found = Object.entries(names).find(([, known]) => known === word.toUpperCase());
  return found === undefined ? null : Number(found[0]);
}

/** @throws RangeError for what is no type */
function typeCodeOf(word: string): number {
  const [, digits] = /^TYPE(\d{1,5})$/i.exec(word) ?? [];
  return digits === undefined ? recordTypeCode(word.toUpperCase()) : Number(digits);
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

function secondsOf(word: string): number | null {
  if (!/^(?:\d{1,9}[smhdw])+$/i.test(word)) return null;
  const parts = [...word.toLowerCase().matchAll(/(\d+)(\D)/g)];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitSeconds[unit] ?? 0), 0);
}

function timeOf(word: string): number | null {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(word) ?? [];
  if (parts.length === 0) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map(Number);
  // the 32 bits wrap in 2106
  return (Date.UTC(year, month - 1, day, hour, minute, second) / 1000) % 2 ** 32;
}

/** Bits of types in windows of 256 (RFC 4034 section 4.1.2). */
function typeBitmap(names: readonly string[]): Buffer {
  const windows = new Map<number, Buffer>();
  const codes = names.map(typeCodeOf).toSorted((a, b) => a - b);
  for (const code of codes) {
    const window = windows.get(code >> 8) ?? Buffer.alloc(32);
    window[(code & 255) >> 3] = (window[(code & 255) >> 3] ?? 0) | (0x80 >> (code & 7));
    windows.set(code >> 8, window);
  }
  const parts = [...windows].map(([index, bits]) => {
    const length = bits.findLastIndex((octet) => octet !== 0) + 1;
    return Buffer.concat([Buffer.of(index, length), bits.subarray(0, length)]);
  });
  return Buffer.concat(parts);
}

/** All other fields of a value. */
export function words(value: WrittenValue): string[] {
  const found: string[] = [];
  while (!value.isAtEnd) found.push(value.word());
  return found;
}

function collect(next: () => Buffer | null): Buffer {
  const parts: Buffer[] = [];
  for (let part = next(); part !== null; part = next()) parts.push(part);
  return Buffer.concat(parts);
}
