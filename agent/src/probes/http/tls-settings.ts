import { createHash } from 'node:crypto';
import type { SecureContext } from 'node:tls';
import type { ClientCertificate } from '@vantage/shared/probe-types/client-certificate.js';
import { OldServersContext } from '../../net/tls/old-servers.js';
import { ProbeFailure } from '../failure.js';

/** Contexts with a certificate of the client that are kept: those used last. */
const MAX_KEPT = 32;

/** TLS settings of HTTP requests, without and with a certificate of the client. Each is made once: that takes milliseconds. */
export class TlsSettings {
  readonly #trustedCertificates: readonly string[] | undefined;
  readonly #plain: OldServersContext;
  /** Contexts by the digest of certificate and key; the one used last comes last. */
  readonly #withCertificate = new Map<string, OldServersContext>();

  /** `trustedCertificates` (PEM) stand in for the public roots. */
  constructor(trustedCertificates?: readonly string[]) {
    this.#trustedCertificates = trustedCertificates;
    this.#plain = new OldServersContext(trustedCertificates);
  }

  /** @throws ProbeFailure not_supported for a certificate that OpenSSL does not take */
  contextFor(certificate: ClientCertificate | undefined): SecureContext {
    if (certificate === undefined) return this.#plain.get();
    try {
      return this.#kept(certificate).get();
    } catch (cause) {
      throw new ProbeFailure('not_supported', 'the client certificate or its key cannot be used here', { cause });
    }
  }

  #kept(certificate: ClientCertificate): OldServersContext {
    const digest = createHash('sha256').update(JSON.stringify(certificate)).digest('base64');
    const context = this.#withCertificate.get(digest) ?? new OldServersContext(this.#trustedCertificates, certificate);
    this.#withCertificate.delete(digest);
    this.#withCertificate.set(digest, context);
    const [oldest] = this.#withCertificate.keys();
    if (this.#withCertificate.size > MAX_KEPT && oldest !== undefined) this.#withCertificate.delete(oldest);
    return context;
  }
}
