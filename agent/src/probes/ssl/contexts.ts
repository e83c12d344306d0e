import { constants } from 'node:crypto';
import { createSecureContext, type SecureContext, type SecureVersion } from 'node:tls';

/**
 * TLS contexts for the handshakes of an audit. Created on first use and kept: loading the ciphers and roots takes
 * longer than a handshake on loopback.
 */
export class AuditContexts {
  readonly #trustedCertificates: readonly string[] | undefined;
  readonly #made = new Map<SecureVersion | 'any' | 'finite-field', SecureContext>();

  /** `trustedCertificates` (PEM) stand in for the public roots. */
  constructor(trustedCertificates?: readonly string[]) {
    this.#trustedCertificates = trustedCertificates;
  }

  /** Every version, as a client offers them; verifies the chain. */
  any(): SecureContext {
    return this.#get('any', () =>
      make({
        minVersion: 'TLSv1',
        maxVersion: 'TLSv1.3',
        ...(this.#trustedCertificates === undefined ? {} : { ca: this.#trustedCertificates }),
      }),
    );
  }

  /** One version and no other; knows no roots. */
  only(version: SecureVersion): SecureContext {
    return this.#get(version, () => make({ minVersion: version, maxVersion: version, ca: [] }));
  }

  /** Diffie-Hellman over a finite field and no other key exchange, in the versions that have it; knows no roots. */
  finiteField(): SecureContext {
    const options = { minVersion: 'TLSv1', maxVersion: 'TLSv1.2', ca: [] } as const;
    return this.#get('finite-field', () => make({ ...options, ciphers: 'kDHE:!aNULL' }));
  }

  #get(key: SecureVersion | 'any' | 'finite-field', create: () => SecureContext): SecureContext {
    const made = this.#made.get(key) ?? create();
    this.#made.set(key, made);
    return made;
  }
}

interface ContextOptions {
  readonly minVersion: SecureVersion;
  readonly maxVersion: SecureVersion;
  /** PEM; default: the public roots. */
  readonly ca?: readonly string[];
  readonly ciphers?: string;
}

function make({ ciphers = 'DEFAULT', ca, ...options }: ContextOptions): SecureContext {
  return createSecureContext({
    ...options,
    ...(ca === undefined ? {} : { ca: [...ca] }),
    // OpenSSL 3 supports TLS 1.0 and 1.1 only at this security level, because they sign with SHA-1
    ciphers: `${ciphers}:@SECLEVEL=0`,
    // servers too old for RFC 5746 are measured too
    secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
  });
}
