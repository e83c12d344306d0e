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

/** The strings of a TXT record (RFC 1035 section 3.3.14) are one text to whoever reads it: SPF, DKIM and the like. */
function unquoted(text: string): string {
  const strings = [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, inner = '']) => inner);
  return strings.length === 0 ? text : strings.join('').replaceAll(/\\(["\\])/g, '$1');
}
