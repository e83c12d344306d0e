import { isIP } from 'node:net';
import { domainToUnicode } from 'node:url';
import { type Host, parseHost } from '@vantage/shared/target-policy/host.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { malformed, missing } from '@vantage/shared/target-policy/target-error.js';

/** Longest `q` of a lookup that is about a host, in characters. */
export const MAX_Q = 253;

/** Name of a host, in A-labels. */
export type NameHost = Extract<Host, { readonly kind: 'name' }>;
export type AddressHost = Extract<Host, { readonly kind: 'address' }>;

/** Reads a domain or an address in canonical form. @throws TargetError naming `q` */
export function readHost(q: string, policy: TargetPolicy): Host {
  return checked(parsed(q), policy);
}

/** Reads a domain. @throws TargetError naming `q` */
export function readDomain(q: string, policy: TargetPolicy): NameHost {
  const host = parsed(q);
  if (host.kind === 'address') throw malformed('q', 'must be a domain, not an address');
  return checked(host, policy);
}

/** Reads an address. @throws TargetError naming `q` */
export function readAddress(q: string, policy: TargetPolicy): AddressHost {
  const host = isIP(q.trim()) === 0 && q.trim() !== '' ? null : parsed(q);
  if (host?.kind !== 'address') throw malformed('q', 'must be an IPv4 or IPv6 address');
  return checked(host, policy);
}

function parsed(q: string): Host {
  const text = q.trim();
  if (text === '') throw missing('q', 'is required');
  if (text.length > MAX_Q) throw malformed('q', `must have at most ${MAX_Q} characters`);
  // brackets belong to URLs
  if (text.startsWith('[')) throw malformed('q', 'must be a domain or an address without brackets');
  return parseHost(text, 'q');
}

function checked<H extends Host>(host: H, policy: TargetPolicy): H {
  policy.checkHost(host, 'q');
  return host;
}

/** A domain as people write it; null where it is no valid name of IDNA. */
export function unicodeDomain(domain: string): string | null {
  return domainToUnicode(domain) || null;
}

/** Text of a host in keys and answers. */
export function hostText(host: Host): string {
  return host.kind === 'name' ? host.name : host.address;
}
