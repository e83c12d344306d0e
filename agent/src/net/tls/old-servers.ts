import { createSecureContext, type SecureContext } from 'node:tls';
import type { ClientCertificate } from '@vantage/shared/probe-types/client-certificate.js';

/**
 * TLS settings that work with any server to be measured: TLS 1.0 and weak ciphers too, because a certificate or a
 * protocol that is bad is a finding, not a reason to see nothing. Made once, at first use: loading the roots and
 * parsing the ciphers takes longer than a handshake on loopback.
 */
export class OldServersContext {
  readonly #trustedCertificates: readonly string[] | undefined;
  readonly #own: ClientCertificate | null;
  #context: SecureContext | undefined;

  /**
   * `trustedCertificates` (PEM) stand in for the public roots and those of NODE_EXTRA_CA_CERTS; `own` is shown to
   * servers that ask for a certificate.
   */
  constructor(trustedCertificates?: readonly string[], own: ClientCertificate | null = null) {
    this.#trustedCertificates = trustedCertificates;
    this.#own = own;
  }

  /** @throws Error of OpenSSL where `own` is of no use */
  get(): SecureContext {
    this.#context ??= createSecureContext({
      minVersion: 'TLSv1',
      ciphers: 'DEFAULT@SECLEVEL=0',
      ...(this.#trustedCertificates === undefined ? {} : { ca: [...this.#trustedCertificates] }),
      ...(this.#own === null ? {} : { cert: this.#own.certificate, key: this.#own.private_key }),
    });
    return this.#context;
  }
}
