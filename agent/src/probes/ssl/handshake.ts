import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { type ConnectionOptions, connect, type SecureContext, type TLSSocket, type TLSSocketOptions } from 'node:tls';
import type { Clock } from '@vantage/shared/clock.js';
import { abortable } from '../../net/abortable.js';
import { tlsFailure } from '../../net/tls/handshake.js';
import { takeSentCertificates } from '../../net/tls/report.js';

/** Result of one handshake. */
export interface Handshake {
  readonly protocol: string;
  /** OpenSSL's name; null where the handshake ended before that was settled. */
  readonly cipher: string | null;
  /** Group of an ephemeral key exchange (`X25519`), or DH and its bits; null without forward secrecy. */
  readonly keyExchange: KeyExchange | null;
  /** Certificates as sent, the server's own first. */
  readonly certificates: readonly X509Certificate[];
  /** The stapled OCSP response, DER. */
  readonly staple: Buffer | null;
  /**
   * Error of the chain. Null if OpenSSL trusts it. Undefined if not verified, because the server closed early. Names do
   * not count.
   */
  readonly chainError: string | null | undefined;
  /** ClientHello to finished. */
  readonly ms: number;
}

export interface KeyExchange {
  readonly group: string;
  /** Bits of a finite field; null for curves. */
  readonly dhBits: number | null;
}

export interface HandshakeRequest {
  readonly secureContext: SecureContext;
  /** Sent as SNI; null sends none. */
  readonly serverName: string | null;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/**
 * One TLS handshake for the audit: any certificate and any size of key passes, a staple is asked for, and who asks for
 * a client's certificate and breaks off still has shown its own. The TLS socket is destroyed.
 * @throws ProbeFailure tls_handshake, tcp_reset; or the signal's reason
 */
export function shakeHands(socket: Socket, request: HandshakeRequest): Promise<Handshake> {
  const { secureContext, serverName, signal, clock } = request;
  return abortable(signal, ({ resolve, reject }) => {
    const startedAt = clock.monotonicMs();
    const options: ConnectionOptions & Pick<TLSSocketOptions, 'requestOCSP'> = {
      socket,
      secureContext,
      rejectUnauthorized: false,
      requestOCSP: true,
      minDHSize: 1,
      checkServerIdentity: () => undefined,
      ...(serverName === null ? {} : { servername: serverName }),
    };
    const tlsSocket = connect(options);
    let shown: Pick<Handshake, 'certificates' | 'staple' | 'protocol'> | null = null;
    const show = (staple: Buffer | null) => {
      shown ??= { staple, certificates: takeSentCertificates(tlsSocket), protocol: tlsSocket.getProtocol() ?? '' };
      return shown;
    };
    // emitted when the certificate has arrived, before the server may refuse to continue
    tlsSocket.once('OCSPResponse', show);
    tlsSocket.once('secureConnect', () =>
      resolve({
        ...show(null),
        protocol: tlsSocket.getProtocol() ?? '',
        cipher: tlsSocket.getCipher()?.name ?? null,
        keyExchange: keyExchangeOf(tlsSocket),
        chainError: tlsSocket.authorized ? null : String(tlsSocket.authorizationError),
        ms: clock.monotonicMs() - startedAt,
      }),
    );
    tlsSocket.on('error', (error) => {
      if (shown === null || shown.certificates.length === 0) return reject(tlsFailure(error));
      const ms = clock.monotonicMs() - startedAt;
      resolve({ ...shown, cipher: null, keyExchange: null, chainError: undefined, ms });
    });
    return () => tlsSocket.destroy();
  });
}

function keyExchangeOf(socket: TLSSocket): KeyExchange | null {
  const info = socket.getEphemeralKeyInfo();
  if (info === null || !('type' in info)) return null;
  if (info.type === 'DH') return { group: `DH ${info.size}`, dhBits: info.size };
  return { group: ('name' in info ? info.name : null) ?? info.type, dhBits: null };
}
