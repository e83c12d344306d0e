import type { Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import { ConnectFailure, connectTcp } from '../../net/connect.js';
import type { KnownNames } from '../../net/known-names.js';
import { startTls } from '../../net/tls/handshake.js';
import { describeTls, verificationFailure } from '../../net/tls/report.js';
import type { ProbeContext } from '../engine.js';
import { ProbeFailure } from '../failure.js';
import { exchange, type HttpProtocol } from './exchange.js';
import type { Hop } from './hop.js';
import type { HttpRequest } from './request.js';

export interface VisitOptions extends Pick<ProbeContext, 'clock' | 'signal' | 'userAgent'> {
  /** Shared by all hops of the probe. */
  readonly names: KnownNames;
  /** `auto`: HTTP/2 where a TLS server chooses it, else HTTP/1.1. */
  readonly httpVersion: 'auto' | '1.1' | '2';
  readonly secureContext: SecureContext;
  /** True if an invalid certificate ends the visit. */
  readonly verifiesTls: boolean;
  /** Called once status and headers are known; false leaves the body unread. */
  readonly wantsBody: () => boolean;
}

/**
 * One request over a connection of its own: resolve, connect to a checked address, TLS where the URL says so, request,
 * answer. Writes what happens into `hop` and leaves no socket open.
 * @throws ProbeFailure
 */
export async function visit(request: HttpRequest, hop: Hop, options: VisitOptions): Promise<void> {
  const { names, signal, clock } = options;
  hop.phase = 'dns';
  const { addresses, ms } = await names.resolve(request.host);
  hop.dnsMs = ms;

  hop.phase = 'tcp';
  const startedAt = clock.monotonicMs();
  hop.address = addresses[0] ?? null;
  const connection = await connectTcp({ addresses, port: request.port, signal, clock }).catch((error) => {
    if (error instanceof ConnectFailure) hop.address = error.address;
    throw error;
  });
  hop.address = connection.address;
  hop.tcpMs = clock.monotonicMs() - startedAt;
  try {
    await converse(connection.socket, request, hop, options);
  } finally {
    connection.socket.destroy();
  }
}

async function converse(connected: Socket, request: HttpRequest, hop: Hop, options: VisitOptions): Promise<void> {
  if (request.url.protocol !== 'https:') return ask(connected, plainProtocol(options), { request, hop, options });
  const socket = await secure(connected, request, hop, options);
  const describe = () => {
    if (!socket.destroyed) hop.tls ??= describeTls(socket);
  };
  // reading certificates takes up to milliseconds and must not delay the request
  const idle = setImmediate(describe);
  try {
    await ask(socket, negotiatedProtocol(socket, options), { request, hop, options });
  } finally {
    clearImmediate(idle);
    describe();
  }
}

function ask(
  socket: Socket,
  protocol: HttpProtocol,
  { request, hop, options }: { request: HttpRequest; hop: Hop; options: VisitOptions },
): Promise<void> {
  hop.phase = 'http';
  const { signal, clock, userAgent, wantsBody } = options;
  return exchange(socket, request, { protocol, signal, clock, hop, userAgent, wantsBody });
}

async function secure(
  socket: Socket,
  { host }: HttpRequest,
  hop: Hop,
  { signal, clock, secureContext, httpVersion, verifiesTls }: VisitOptions,
): Promise<TLSSocket> {
  hop.phase = 'tls';
  const handshake = await startTls(socket, {
    host,
    secureContext,
    protocols: httpVersion === '1.1' ? ['http/1.1'] : ['h2', 'http/1.1'],
    signal,
    clock,
  });
  hop.tlsMs = handshake.ms;
  if (!verifiesTls || handshake.socket.authorized) return handshake.socket;
  hop.tls = describeTls(handshake.socket);
  const failure = verificationFailure(hop.tls);
  if (failure === null) return handshake.socket;
  handshake.socket.destroy();
  throw failure;
}

/** Negotiated protocol (RFC 7301). @throws ProbeFailure http_protocol when HTTP/2 was required and not negotiated */
function negotiatedProtocol(socket: TLSSocket, { httpVersion }: VisitOptions): HttpProtocol {
  if (socket.alpnProtocol === 'h2') return 'h2';
  if (httpVersion === '2') throw new ProbeFailure('http_protocol', 'the server did not agree to HTTP/2 (ALPN)');
  return 'http/1.1';
}

/**
 * Protocol without TLS, where nothing is negotiated: a caller that requires HTTP/2 knows that the server speaks it
 * (RFC 9113 section 3.3).
 */
function plainProtocol({ httpVersion }: VisitOptions): HttpProtocol {
  return httpVersion === '2' ? 'h2' : 'http/1.1';
}
