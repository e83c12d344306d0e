import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { Clock } from '@vantage/shared/clock.js';
import type { Host } from '@vantage/shared/target-policy/host.js';
import { type Connection, connectTcp } from '../../net/connect.js';
import { within } from '../../net/deadline.js';
import type { ResolvedAddress } from '../../net/resolved-address.js';
import { startTls } from '../../net/tls/handshake.js';
import { ProbeFailure } from '../failure.js';

/** A server and how to reach it. */
export interface Line {
  readonly host: Host;
  readonly port: number;
  /** TLS context; null for a connection without TLS. Certificates are not verified: nothing confidential is sent. */
  readonly secureContext: SecureContext | null;
  /** Timeout of a connection, and again of a handshake. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** A connection to the first address that accepts it; the receiver destroys the socket. @throws ProbeFailure */
export function connectLine(line: Line, addresses: readonly ResolvedAddress[]): Promise<Connection> {
  const { clock, port, timeoutMs } = line;
  const reason = () => new ProbeFailure('tcp_timeout', `no connection within ${timeoutMs} ms`);
  return within({ clock, ms: timeoutMs, reason }, line.signal, (signal) =>
    connectTcp({ addresses, port, signal, clock }),
  );
}

/** A connection to one address, with TLS if the line has it; the receiver destroys it. @throws ProbeFailure */
export async function openLine(line: Line, address: ResolvedAddress): Promise<Socket> {
  const { host, secureContext, clock, timeoutMs } = line;
  const { socket } = await connectLine(line, [address]);
  if (secureContext === null) return socket;
  const reason = () => new ProbeFailure('timeout', `no TLS handshake within ${timeoutMs} ms`);
  const handshake = await within({ clock, ms: timeoutMs, reason }, line.signal, (signal) =>
    startTls(socket, { host, secureContext, protocols: ['http/1.1'], signal, clock }),
  );
  return handshake.socket;
}
