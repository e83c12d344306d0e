import { getDomain } from 'tldts';

/**
 * The part of a name (A-labels) that is registered, by the public suffix list, private suffixes apart; a name that is a
 * suffix itself, as it is.
 */
export function registrableDomain(name: string): string {
  return (
    getDomain(name, { allowPrivateDomains: false, extractHostname: false, validateHostname: false, detectIp: false }) ??
    name
  );
}
