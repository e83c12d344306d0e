import { domainToASCII, domainToUnicode } from 'node:url';
import { malformed, quoted, refused, type TargetError } from './target-error.js';

/** Names that end in one of these mean something on the machine or network that resolves them, nowhere else. */
const localSuffixes = ['localhost', 'local', 'internal', 'home.arpa', 'onion'];

/** Public names of cloud metadata services; the ones under .internal need no entry. */
const metadataNames = [
  'metadata.goog',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
  'metadata.packet.net',
];

/**
 * A domain name as DNS carries it: lower case, IDNA A-labels, no trailing dot. Numeric hosts are not for this function.
 * @throws TargetError
 */
export function parseName(text: string, field: string): string {
  const written = text.endsWith('.') ? text.slice(0, -1) : text;
  const name = toAscii(written, field);
  checkShape(name, field);
  return name;
}

/** Whether a parsed name means the same to everybody: no single label, no name for local use. @throws TargetError */
export function checkPublicName(name: string, field: string): void {
  if (!name.includes('.')) throw refused(field, `${quoted(name)} is a single label, not a public name`);
  const suffix = [...localSuffixes, ...metadataNames].find((entry) => isWithin(name, entry));
  if (suffix !== undefined) throw refused(field, `${quoted(name)} is a name for local use (${suffix})`);
}

/** Whether parsers of URLs and of inet_aton take the text for an IPv4 address: its last label is a number. */
export function endsInNumber(text: string): boolean {
  const labels = text.split('.');
  const last = labels.at(-1) === '' ? labels.at(-2) : labels.at(-1);
  return /^(\d+|0x[0-9a-f]*)$/i.test(last ?? '');
}

/**
 * IDNA maps full-width and circled digits, ligatures and invisible characters to plain ASCII, so that a name could
 * read as one host and be another: a label must come back unchanged from its A-label.
 */
function toAscii(written: string, field: string): string {
  if (written.length > 253) throw malformed(field, 'a host name has at most 253 characters');
  if (/[^\w.\u{80}-\u{10ffff}-]/u.test(written)) throw notAName(written, field);
  const ascii = domainToASCII(written);
  // the Greek question mark becomes a semicolon, inside of an A-label too
  if (!/^[\w.-]+$/.test(ascii)) throw notAName(written, field);
  const labels = ascii.split('.');
  const writtenLabels = written.split('.');
  const isUnchanged =
    labels.length === writtenLabels.length && labels.every((label, i) => isSameLabel(label, writtenLabels[i] ?? ''));
  if (!isUnchanged) throw refused(field, `${quoted(written)} would be read as ${quoted(ascii)}`);
  return ascii;
}

function isWithin(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}

function isSameLabel(label: string, written: string): boolean {
  const lower = written.toLowerCase();
  // the Kelvin sign is not ASCII, and its lower case is
  if (/^[\w-]*$/.test(written)) return label === lower;
  return label.startsWith('xn--') && domainToUnicode(label) === lower.normalize('NFC');
}

function checkShape(name: string, field: string): void {
  if (name.length > 253) throw malformed(field, 'a host name has at most 253 characters');
  for (const label of name.split('.')) {
    if (label === '') throw malformed(field, `${quoted(name)} has an empty label`);
    if (label.length > 63) throw malformed(field, 'a label of a host name has at most 63 characters');
    if (label.startsWith('-') || label.endsWith('-')) throw notAName(name, field);
  }
}

function notAName(text: string, field: string): TargetError {
  return malformed(field, `${quoted(text)} is not a host name`);
}
