import { createHash, X509Certificate } from 'node:crypto';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

/** The control plane shows a TLS key that is none of the pinned ones, or none at all. */
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

/** Whether this is a pin: SHA-256 of a key, base64. */
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
 * What a connection has to be told so that only a server with one of these keys is talked to, besides the usual
 * verification and never instead of it. Of the chain only the server's own certificate counts: servers send along what
 * they like. No pins: nothing. The error is a WrongPinError; a resumed session is not judged, so none may be.
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
        : new WrongPinError(`${host} shows a TLS key that is not pinned, "${shown}"`);
    },
  };
}

/** What is wrong with a URL that would go without TLS where a key is pinned; null: nothing. */
export function judgePinnedUrl(url: URL, pins: readonly string[]): WrongPinError | null {
  if (pins.length === 0 || /^(https|wss):$/.test(url.protocol)) return null;
  return new WrongPinError(`${url.host} is to be reached without TLS, and its key is pinned`);
}
