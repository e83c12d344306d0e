import { createRequire } from 'node:module';
import { domainToASCII, domainToUnicode } from 'node:url';
import { malformed, quoted, refused, type TargetError } from './target-error.js';

// importing JSON prints a warning (Node 20)
const require = createRequire(import.meta.url);

/** Names that end in one of these mean something on the machine or network that resolves them, nowhere else. */
const localSuffixes = ['localhost', 'local', 'internal', 'home.arpa', 'onion'];

/** Names by which a resolver shows itself or of the network it serves (RFC 4892, RFC 9462, RFC 7050). */
const resolverSuffixes = ['bind', 'server', 'resolver.arpa', 'ipv4only.arpa'];

let known: ReadonlySet<string> | null = null;

/** Top-level domains of the public DNS, by IANA, as U-labels. Read when first used: the client, which is one file, has no list and needs none. */
function delegated(): ReadonlySet<string> {
  known ??= new Set<string>(require('tlds'));
  return known;
}

/**
 * Top-level domains for tests and documentation (RFC 6761, sections 6.2, 6.4, 6.5): not used for names of a network.
 */
const exampleDomains = new Set(['test', 'example', 'invalid']);

/** Public names of cloud metadata services; the ones under .internal need no entry. */
const metadataNames = [
  'metadata.goog',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
  'metadata.packet.net',
];

const refusedSuffixes = [...localSuffixes, ...resolverSuffixes, ...metadataNames];

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

/** Checks that a parsed name means the same everywhere: no single label, no name for local use. @throws TargetError */
export function checkPublicName(name: string, field: string): void {
  if (!name.includes('.')) throw refused(field, `${quoted(name)} is a single label, not a public name`);
  const suffix = refusedSuffixes.find((entry) => isWithin(name, entry));
  if (suffix !== undefined) throw refused(field, `${quoted(name)} is a name for local use (${suffix})`);
}

/** True if a name as `plainName` gives it is one by which a resolver describes itself or the network it serves. */
export function isResolverName(name: string): boolean {
  return resolverSuffixes.some((entry) => isWithin(name, entry));
}

/** True if a name of a DNS response, as `plainName` gives it, exists on a private network alone. */
export function isLocalName(name: string): boolean {
  return !name.includes('.') || localSuffixes.some((entry) => isWithin(name, entry)) || privateSuffixOf(name) !== null;
}

/**
 * Top-level domain of a parsed name when it does not exist in the public DNS: it is not delegated, and only a private
 * network serves it (`corp`, `lan`, `consul`; RFC 6762 appendix G). Null if it is delegated.
 */
export function privateSuffixOf(name: string): string | null {
  const topLevel = name.slice(name.lastIndexOf('.') + 1);
  return delegated().has(domainToUnicode(topLevel)) || exampleDomains.has(topLevel) ? null : topLevel;
}

/** A name of a DNS response for comparing: lower case, no final dot, letters and digits without their escapes. */
export function plainName(text: string): string {
  const unescaped = text.replace(/\\(\d{3})|\\\D/g, (written, digits?: string) => {
    const character = digits === undefined ? '' : String.fromCharCode(Number(digits));
    return /^[\w/-]$/.test(character) ? character : written;
  });
  return unescaped.toLowerCase().replace(/\.$/, '');
}

/** True if parsers of URLs and of inet_aton take the text for an IPv4 address: its last label is a number. */
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
