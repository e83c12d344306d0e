import { isIP } from 'node:net';
import { businessError } from '../../../http/errors.js';

/** Site that passkeys belong to: they work on pages of its origin alone (WebAuthn Level 3 section 5.4.2). */
export interface PasskeySite {
  /** Relying party identifier: the host name of the site. */
  readonly rpId: string;
  readonly origin: string;
}

/** Site of a public URL; null where browsers have no passkeys: at an IP address, and with http except on localhost. */
export function passkeySiteOf(publicUrl: string): PasskeySite | null {
  const { protocol, hostname, origin } = new URL(publicUrl);
  const isSecure = protocol === 'https:' || hostname === 'localhost';
  const isAddress = isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0;
  return isSecure && !isAddress ? { rpId: hostname, origin } : null;
}

/** @throws ApiError 422 where there are no passkeys */
export function requireSite(site: PasskeySite | null): PasskeySite {
  if (site !== null) return site;
  const message = 'is supported only where the public URL has https and a domain name, or is http://localhost';
  throw businessError('passkey', 'not_supported', message);
}
