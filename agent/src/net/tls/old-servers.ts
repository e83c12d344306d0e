import { createSecureContext, type SecureContext } from 'node:tls';

/**
 * TLS settings that speak with whatever there is to be measured: TLS 1.0 and weak ciphers too, because a certificate
 * or a protocol that is bad is a finding, not a reason to see nothing. Made once, at first use: loading the roots and
 * parsing the ciphers takes longer than a handshake on loopback.
 */
export class OldServersContext {
  readonly #trustedCertificates: readonly string[] | undefined;
  #context: SecureContext | undefined;

  /** `trustedCertificates` (PEM) stand in for the public roots and those of NODE_EXTRA_CA_CERTS. */
  constructor(trustedCertificates?: readonly string[]) {
    this.#trustedCertificates = trustedCertificates;
  }

  get(): SecureContext {
    this.#context ??= createSecureContext({
      minVersion: 'TLSv1',
      ciphers: 'DEFAULT@SECLEVEL=0',
      ...(this.#trustedCertificates === undefined ? {} : { ca: [...this.#trustedCertificates] }),
    });
    return this.#context;
  }
}
