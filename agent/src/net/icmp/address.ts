import { SocketAddress } from 'node:net';
import { parseAddress } from '@vantage/shared/target-policy/address.js';

/** IPv4 or IPv6. */
export type Family = 4 | 6;

/** The spelling in which the system names the source of a packet. @throws TypeError for what is no IPv6 address */
export function canonicalAddress(address: string, family: Family): string {
  // dotted decimal has only one spelling, and this runs for every ping
  return family === 4 ? address : new SocketAddress({ address, family: 'ipv6' }).address;
}

/** The 4 or 16 bytes of an address as they stand in a packet. @throws RangeError for what is no address of the family */
export function addressBytes(address: string, family: Family): Buffer {
  const parsed = parseAddress(address);
  if (parsed?.family !== family) throw new RangeError(`"${address}" is not an IPv${family} address`);
  return Buffer.from(parsed.value.toString(16).padStart(family === 4 ? 8 : 32, '0'), 'hex');
}
