import { parseAddress } from '@vantage/shared/target-policy/address.js';

/** The name under which an address is looked up in reverse (RFC 1035 section 3.5, RFC 3596 section 2.5). */
export function arpaName(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === null) throw new RangeError(`"${address}" is not an address`);
  if (parsed.family === 4) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  const nibbles = parsed.value.toString(16).padStart(32, '0');
  return `${[...nibbles].reverse().join('.')}.ip6.arpa`;
}
