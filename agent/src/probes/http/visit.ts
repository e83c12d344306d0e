import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { ConnectFailure, connectTcp } from '../../net/connect.js';
import type { QueryBudget } from '../../net/query-budget.js';
import { startTls } from '../../net/tls/handshake.js';
import { describeTls, verificationFailure } from '../../net/tls/report.js';
import type { ProbeContext } from '../engine.js';
import { exchange } from './exchange.js';
import type { Hop } from './hop.js';
import type { HttpRequest } from './request.js';

export interface VisitOptions extends Pick<ProbeContext, 'policy' | 'resolver' | 'clock' | 'signal' | 'userAgent'> {
  readonly ipVersion: 'auto' | 'v4' | 'v6';
  /** DNS server the caller named. */
  readonly dnsServer: string | undefined;
  /** Shared by all hops of the probe. */
  readonly budget: QueryBudget;
  readonly secureContext: () => SecureContext;
  /** Whether a bad certificate ends the visit. */
  readonly verifiesTls: boolean;
  /** Asked once status and headers are known; false leaves the body unread. */
  readonly wantsBody: () => boolean;
}

/**
 * One request over a connection of its own: resolve, connect to a checked address, TLS where the URL says so, request,
 * answer. Writes what happens into `hop` and leaves no socket open.
 * @throws ProbeFailure
 */
export async function visit(request: HttpRequest, hop: Hop, options: VisitOptions): Promise<void> {
  const { ipVersion, dnsServer, resolver, policy, signal, clock, budget, userAgent } = options;
  hop.phase = 'dns';
  const named = dnsServer === undefined ? {} : { server: dnsServer };
  const { addresses, ms } = await resolver.resolve({ host: request.host, ipVersion, policy, signal, budget, ...named });
  hop.dnsMs = ms;

  hop.phase = 'tcp';
  hop.address = addresses[0] ?? null;
  const connection = await connectTcp({ addresses, port: request.port, signal, clock }).catch((error) => {
    if (error instanceof ConnectFailure) hop.address = error.address;
    throw error;
  });
  hop.address = connection.address;
  hop.tcpMs = connection.connectMs;
  try {
    const socket =
      request.url.protocol === 'https:' ? await secure(connection.socket, request, hop, options) : connection.socket;
    hop.phase = 'http';
    await exchange(socket, request, { signal, clock, hop, userAgent, wantsBody: options.wantsBody });
  } finally {
    connection.socket.destroy();
  }
}

async function secure(socket: Socket, { host }: HttpRequest, hop: Hop, options: VisitOptions) {
  hop.phase = 'tls';
  const { signal, clock, secureContext } = options;
  const handshake = await startTls(socket, {
    host,
    secureContext: secureContext(),
    protocols: ['http/1.1'],
    signal,
    clock,
  });
  hop.tlsMs = handshake.ms;
  hop.tls = describeTls(handshake.socket);
  const failure = options.verifiesTls ? verificationFailure(hop.tls) : null;
  if (failure === null) return handshake.socket;
  handshake.socket.destroy();
  throw failure;
}
