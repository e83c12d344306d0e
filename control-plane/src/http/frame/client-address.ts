import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { formatAddress, parseAddress } from '@vantage/shared/target-policy/address.js';

/** Proxies whose X-Forwarded-For is trusted, or null. */
export type TrustedProxies = BlockList | null;

/** @throws RangeError naming the entry that is neither an address nor a CIDR range */
export function parseTrustedProxies(entries: readonly string[]): TrustedProxies {
  if (entries.length === 0) return null;
  const proxies = new BlockList();
  for (const entry of entries) addEntry(proxies, entry);
  return proxies;
}

function addEntry(proxies: BlockList, entry: string): void {
  const [address = '', bits] = entry.split('/');
  const version = isIP(address);
  const prefix = bits === undefined ? (version === 4 ? 32 : 128) : Number(bits);
  const isPrefix = bits === undefined || (/^\d{1,3}$/.test(bits) && prefix <= (version === 4 ? 32 : 128));
  if (version === 0 || !isPrefix) throw new RangeError(`trusted proxy "${entry}" is not an address or CIDR range`);
  proxies.addSubnet(address, prefix, family(version));
}

/**
 * The caller's address: that of the connection or, behind trusted proxies, the right-most one of X-Forwarded-For that is
 * not itself a trusted proxy. Always as RFC 5952 writes it, IPv4-mapped addresses as IPv4 and without a zone, so that it is
 * one caller however a proxy writes it; '' after the connection has closed.
 */
export function clientAddress(request: IncomingMessage, trusted: TrustedProxies): string {
  let address = canonical(request.socket.remoteAddress ?? '') ?? '';
  if (trusted === null) return address;
  const forwarded = request.headers['x-forwarded-for'];
  const hops = typeof forwarded === 'string' ? forwarded.split(',') : [];
  while (hops.length > 0 && isTrustedProxy(trusted, address)) {
    const hop = canonical(withoutPort((hops.pop() as string).trim()));
    if (hop === null) break;
    address = hop;
  }
  return address;
}

/** True if an address belongs to a trusted proxy. */
export function isTrustedProxy(trusted: TrustedProxies, address: string): boolean {
  const version = isIP(address);
  return trusted !== null && version !== 0 && trusted.check(address, family(version));
}

/** Some proxies write `192.0.2.1:4711` and `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  return /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? hop;
}

/** Null for what is no address. */
function canonical(text: string): string | null {
  // one spelling only: nothing to parse on the way of most requests
  if (isIPv4(text)) return text;
  const address = parseAddress(text.replace(/(:.*)%[^%]*$/, '$1'));
  return address === null ? null : formatAddress(address);
}

function family(version: number): 'ipv4' | 'ipv6' {
  return version === 4 ? 'ipv4' : 'ipv6';
}
