import { formatAddress, parseAddress } from '../target-policy/address.js';

/** Types whose values are names, or numbers and a name: letter case means nothing there, nor does the final dot. */
const nameTypes: ReadonlySet<string> = new Set(['CNAME', 'MX', 'NS', 'PTR', 'SOA', 'SRV']);

/** A value of a record in one spelling, so that what people write is compared with what servers answer. */
export function canonicalValue(type: string, value: string): string {
  const text = value.trim();
  if (type === 'A' || type === 'AAAA') return canonicalAddress(text);
  if (type === 'TXT') return unquoted(text);
  return nameTypes.has(type) ? text.toLowerCase().replaceAll(/\.(?=\s|$)/g, '') : text;
}

function canonicalAddress(text: string): string {
  const address = parseAddress(text);
  return address === null ? text : formatAddress(address);
}

/** The strings of a TXT record (RFC 1035 section 3.3.14) are read as one text by SPF, DKIM and others. */
function unquoted(text: string): string {
  // a string without a closing quote extends to the end: otherwise the rest would be scanned again from each quote in
  // it
  const strings = [...text.matchAll(/"((?:[^"\\]|\\.)*)("?)/gs)].filter(([, , close]) => close === '"');
  return strings.length === 0
    ? text
    : strings
        .map(([, inner = '']) => inner)
        .join('')
        .replaceAll(/\\(["\\])/g, '$1');
}
