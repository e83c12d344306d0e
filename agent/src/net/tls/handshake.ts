import type { Socket } from 'node:net';
import { connect, type SecureContext, type TLSSocket } from 'node:tls';
import type { Clock } from '@vantage/shared/clock.js';
import type { Host } from '@vantage/shared/target-policy/host.js';
import { ProbeFailure } from '../../probes/failure.js';
import { abortable } from '../abortable.js';
import { socketFailure } from '../socket-failure.js';

export interface HandshakeOptions {
  /** Sent as SNI where it is a name (RFC 6066 section 3), and compared with the certificate. */
  readonly host: Host;
  readonly secureContext: SecureContext;
  /** Application protocols offered, best first (RFC 7301); none leaves the extension out. */
  readonly protocols: readonly string[];
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/**
 * Speaks TLS on a connected socket, which belongs to the TLS socket from here on. Any certificate passes: what it is
 * worth is recorded, and judged by who asked. `ms` is ClientHello to finished.
 * @throws ProbeFailure tls_handshake, tcp_reset; or the signal's reason
 */
export function startTls(
  socket: Socket,
  { host, secureContext, protocols, signal, clock }: HandshakeOptions,
): Promise<{ socket: TLSSocket; ms: number }> {
  return abortable(signal, ({ resolve, reject }) => {
    const startedAt = clock.monotonicMs();
    const names = host.kind === 'name' ? { host: host.name, servername: host.name } : { host: host.address };
    const tlsSocket = connect({
      socket,
      secureContext,
      rejectUnauthorized: false,
      ...(protocols.length === 0 ? {} : { ALPNProtocols: [...protocols] }),
      ...names,
    });
    // before Node creates objects of the chain for its own check, which takes 1 to 2 ms
    let finishedAt: number | null = null;
    tlsSocket.prependOnceListener('secure', () => {
      finishedAt = clock.monotonicMs();
    });
    // kept for the life of the socket: an error between two owners must not end the process
    tlsSocket.on('error', (error) => reject(tlsFailure(error)));
    tlsSocket.once('secureConnect', () =>
      resolve({ socket: tlsSocket, ms: (finishedAt ?? clock.monotonicMs()) - startedAt }),
    );
    return (isResolved) => {
      if (!isResolved) tlsSocket.destroy();
    };
  });
}

/** OpenSSL's reason for a reply that is not a record of TLS. */
const NOT_TLS = 'wrong version number';

/** True if the reply to a ClientHello was not TLS. */
export function isPlainReply({ cause }: ProbeFailure): boolean {
  return cause instanceof Error && 'reason' in cause && cause.reason === NOT_TLS;
}

/** The failure behind an error of TLS; OpenSSL's own reason where there is one. */
export function tlsFailure(error: unknown): ProbeFailure {
  const reason = error instanceof Error && 'reason' in error ? error.reason : null;
  const known = reason === NOT_TLS ? `${reason}, the port does not speak TLS` : reason;
  const text = typeof known === 'string' ? known : 'the connection was closed during the handshake';
  return (
    socketFailure(error, 'TLS handshake') ??
    new ProbeFailure('tls_handshake', `TLS handshake failed: ${text}`, { cause: error })
  );
}
