import { constants } from 'node:crypto';
import { createSecureContext, type SecureContext, type SecureVersion } from 'node:tls';

/**
 * TLS contexts for the handshakes of an audit. Created on first use and kept: loading the ciphers and roots takes
 * longer than a handshake on loopback.
 */
export class AuditContexts {
  readonly #trustedCertificates: readonly string[] | undefined;
  readonly #made = new Map<SecureVersion | 'any', SecureContext>();

  /** `trustedCertificates` (PEM) stand in for the public roots. */
  constructor(trustedCertificates?: readonly string[]) {
    this.#trustedCertificates = trustedCertificates;
  }

  /** Every version, as a client offers them; verifies the chain. */
  any(): SecureContext {
    return this.#get('any', () =>
      make('TLSv1', 'TLSv1.3', this.#trustedCertificates === undefined ? undefined : [...this.#trustedCertificates]),
    );
  }

  /** One version and no other; knows no roots. */
  only(version: SecureVersion): SecureContext {
    return this.#get(version, () => make(version, version, []));
  }

  #get(key: SecureVersion | 'any', create: () => SecureContext): SecureContext {
    const made = this.#made.get(key) ?? create();
    this.#made.set(key, made);
    return made;
  }
}

function make(minVersion: SecureVersion, maxVersion: SecureVersion, ca: string[] | undefined): SecureContext {
  return createSecureContext({
    minVersion,
    maxVersion,
    // OpenSSL 3 supports TLS 1.0 and 1.1 only at this security level, because they sign with SHA-1
    ciphers: 'DEFAULT@SECLEVEL=0',
    // servers too old for RFC 5746 are measured too
    secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
    ...(ca === undefined ? {} : { ca }),
  });
}
