import type { SecureContext } from 'node:tls';
import type { Host } from '@vantage/shared/target-policy/host.js';
import type { DnsServer } from './dns-server.js';

/** A server spoken to through TLS. */
export interface SecureServer {
  /** Host as the caller named it: sent as SNI and as authority, and compared with the certificate. */
  readonly host: Host;
  readonly endpoint: DnsServer;
  readonly secureContext: SecureContext;
  /** True if an invalid certificate ends the exchange before the query is sent; it is recorded in any case. */
  readonly isVerified: boolean;
  /** User agent of requests of DNS over HTTPS. */
  readonly userAgent: string;
}
