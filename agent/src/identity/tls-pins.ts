import { createHash, X509Certificate } from 'node:crypto';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

/** The control plane presented a TLS key that is not pinned, or none at all. */
export class WrongPinError extends Error {
  override readonly name = 'WrongPinError';

  constructor(message: string) {
    super(`${message}: compare it with the pins of this node (VANTAGE_AGENT_TLS_PINS, or enroll --tls-pin)`);
  }
}

/** Options of a TLS connection that hold it to pins. */
interface PinnedTls {
  readonly rejectUnauthorized?: true;
  readonly checkServerIdentity?: (host: string, certificate: PeerCertificate) => Error | undefined;
}

/** True if the text is a pin: the SHA-256 of a key, base64. */
export function isTlsPin(text: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(text) && Buffer.from(text, 'base64').toString('base64') === text;
}

/** The pin of a certificate's key: SHA-256 of its SubjectPublicKeyInfo (RFC 7469 section 2.4), base64. */
export function tlsPinOf(certificate: X509Certificate): string {
  return createHash('sha256')
    .update(certificate.publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
}

/**
 * TLS options that accept only a server with one of these keys, in addition to the usual verification and never in
 * place of it. Of the chain only the server's own certificate counts, because servers may append any other. Empty
 * without pins. The error is a WrongPinError. A resumed session is not verified, so callers must not resume sessions.
 */
export function pinnedTls(pins: readonly string[]): PinnedTls {
  if (pins.length === 0) return {};
  return {
    rejectUnauthorized: true,
    checkServerIdentity: (host, certificate) => {
      const unfit = checkServerIdentity(host, certificate);
      if (unfit !== undefined) return unfit;
      const shown = tlsPinOf(new X509Certificate(certificate.raw));
      return pins.includes(shown)
        ? undefined
        : new WrongPinError(`${host} presented a TLS key that is not pinned, "${shown}"`);
    },
  };
}

/** Error for a URL without TLS where a key is pinned; null if the URL is acceptable. */
export function judgePinnedUrl(url: URL, pins: readonly string[]): WrongPinError | null {
  if (pins.length === 0 || /^(https|wss):$/.test(url.protocol)) return null;
  return new WrongPinError(`${url.host} is contacted without TLS, but its key is pinned`);
}
