import { type Field, hexOctets } from './fields.js';
import { recordFormats, shortForms } from './formats.js';
import { RecordOctets } from './record-octets.js';
import { type WritingStyle, WrittenValue, writingStyles } from './written-value.js';

/**
 * Meanings of a value as a node shows it, as texts to compare with those of `meaningsWritten`: two values are the same if
 * they have one in common. Linear in the value.
 */
export function meaningsShown(type: string, value: string): string[] {
  const octets = octetsOf(type, value, 'zoneFile');
  const short = shortForms[type];
  return [
    spelled(value),
    ...(octets === null ? [] : [meant(octets)]),
    ...(octets === null || short === undefined ? [] : [meantInShort(octets.subarray(short.leftOut))]),
  ];
}

/**
 * Meanings that a value which people write may have: presentation format (RFC 1035 section 5.1) or octets (RFC 3597
 * section 5), with any letter case of names, digits and tags; a text also without quotation marks, as it is or with
 * escapes; an MX without its preference, and an SRV as `host:port`. A text that cannot be read as the type means its spelling.
 */
export function meaningsWritten(type: string, text: string): string[] {
  const full = writingStyles.flatMap((style) => octetsOf(type, text, style) ?? []).map(meant);
  const short = shortForms[type];
  const octets = short === undefined ? null : readFields(short.fields, text, 'zoneFile');
  return [...new Set([spelled(text), ...full, ...(octets === null ? [] : [meantInShort(octets)])])];
}

function spelled(text: string): string {
  return `text ${text.trim()}`;
}

function meant(octets: Buffer): string {
  return `data ${octets.toString('hex')}`;
}

function meantInShort(octets: Buffer): string {
  return `end ${octets.toString('hex')}`;
}

/** The data in one form; null for a text that is no value of the type. */
function octetsOf(type: string, text: string, style: WritingStyle): Buffer | null {
  const fields = recordFormats[type];
  const [, length, digits = ''] = /^\s*\\#\s+(\d{1,5})(|\s[\s\da-f]*)$/i.exec(text) ?? [];
  if (length !== undefined) return genericOctets(fields, Number(length), digits.replaceAll(/\s/g, ''));
  return fields === undefined ? null : readFields(fields, text, style);
}

function readFields(fields: readonly Field[], text: string, style: WritingStyle): Buffer | null {
  return unlessUnreadable(() => {
    const value = new WrittenValue(text, style);
    const octets = Buffer.concat(fields.map((field) => field.read(value)));
    return value.isAtEnd ? octets : null;
  });
}

/** Data of known types are folded; others, and what is not what its type says, are the octets that they are. */
function genericOctets(fields: readonly Field[] | undefined, length: number, digits: string): Buffer | null {
  const octets = unlessUnreadable(() => hexOctets(digits));
  if (octets?.length !== length) return null;
  const folded = unlessUnreadable(() => {
    const data = new RecordOctets(octets);
    const parts = fields?.map((field) => field.fold(data));
    return parts !== undefined && data.isAtEnd ? Buffer.concat(parts) : null;
  });
  return folded ?? octets;
}

function unlessUnreadable(read: () => Buffer | null): Buffer | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
