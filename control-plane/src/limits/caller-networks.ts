import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

// Addresses that count as one caller:
//
//   IPv4   the address                      subscriber
//   IPv6   its /64, which one line has      subscriber
//          its /48, which one site has      site: 65 536 subscribers, all of which one stranger may be

/** Number of subscribers whose limits a site gets: those of several people, not of 65 536. */
export const SUBSCRIBERS_PER_SITE = 16;

/** One subscriber: an IPv4 address, or the /64 an IPv6 address is in. */
export function addressKey(address: string): string {
  return ipv6NetworkOf(address, 64) ?? plainAddress(address);
}

/** The /48 an IPv6 address is in, what a site gets (RFC 6177); null for IPv4, where who has one address has no others. */
export function siteKey(address: string): string | null {
  return ipv6NetworkOf(address, 48);
}

/** A number that a network may not go beyond. */
export interface Bound {
  readonly key: string;
  readonly most: number;
}

/** The bounds of an address whose subscriber may have `most` of something. */
export function boundsOf(address: string, most: number): readonly Bound[] {
  const own = { key: addressKey(address), most };
  const site = siteKey(address);
  return site === null ? [own] : [own, { key: site, most: most * SUBSCRIBERS_PER_SITE }];
}

/**
 * One site: the /24 of an IPv4 address, the smallest network that is routed by itself, or the /48 of an IPv6 address; null
 * for this very machine, whose callers have nothing in common.
 */
export function networkKey(address: string): string | null {
  if (!ipaddr.isValid(address)) return address;
  if (isLoopback(address)) return null;
  const parsed = ipaddr.process(address);
  const bits = parsed.kind() === 'ipv4' ? 24 : 48;
  const network = parsed.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${network.networkAddressFromCIDR(`${parsed.toString()}/${bits}`).toString()}/${bits}`;
}

/** True if an address is a loopback address of this machine. */
export function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}

/** Null for IPv4, however it is written. */
function ipv6NetworkOf(address: string, bits: 48 | 64): string | null {
  // asked on the way of every request, of an address that has one spelling
  if (isIPv4(address)) return null;
  if (!ipaddr.IPv6.isValid(address)) return null;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return null;
  const parts = parsed.parts.slice(0, bits / 16).map((part) => part.toString(16));
  return `${parts.join(':')}::/${bits}`;
}

function plainAddress(address: string): string {
  if (isIPv4(address)) return address;
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}
