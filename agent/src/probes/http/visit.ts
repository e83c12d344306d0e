import type { Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import type { ProbeErrorCode } from '@vantage/shared/probe-types/error-codes.js';
import { ConnectFailure, connectTcp } from '../../net/connect.js';
import { within } from '../../net/deadline.js';
import type { KnownNames } from '../../net/known-names.js';
import { isPlainReply, startTls } from '../../net/tls/handshake.js';
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
  if (request.url.protocol !== 'https:') return askPlain(connected, request, hop, options);
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

/** Failures of plain HTTP that a port has which speaks TLS. */
const ofTlsPorts: ReadonlySet<ProbeErrorCode> = new Set(['http_protocol', 'tcp_reset']);

/** A port that speaks TLS closes the connection when it gets plain HTTP, or responds with 400: TLS is then tried. */
async function askPlain(connected: Socket, request: HttpRequest, hop: Hop, options: VisitOptions): Promise<void> {
  const failure = await ask(connected, plainProtocol(options), { request, hop, options }).then(
    () => null,
    (error: unknown) => error,
  );
  const isOfTls = failure instanceof ProbeFailure ? ofTlsPorts.has(failure.code) : hop.statusCode === 400;
  if (isOfTls && (await speaksTls(request, hop, options))) {
    const message = `this port speaks TLS: use https://${request.url.hostname}:${request.port}`;
    throw new ProbeFailure('http_protocol', message, { cause: failure });
  }
  if (failure !== null) throw failure;
}

/** Longest time to find out if a port speaks TLS, in milliseconds. */
const TRY_TLS_MS = 2_000;

async function speaksTls({ host, port }: HttpRequest, { address }: Hop, options: VisitOptions): Promise<boolean> {
  if (address === null) return false;
  const { clock, secureContext } = options;
  const limit = { clock, ms: TRY_TLS_MS, reason: () => new ProbeFailure('timeout', 'no handshake') };
  try {
    await within(limit, options.signal, async (signal) => {
      const { socket } = await connectTcp({ addresses: [address], port, signal, clock });
      try {
        await startTls(socket, { host, secureContext, protocols: [], signal, clock });
      } finally {
        socket.destroy();
      }
    });
    return true;
  } catch (error) {
    if (!(error instanceof ProbeFailure)) throw error;
    return false;
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
  { host, port, url }: HttpRequest,
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
  }).catch((error: unknown) => {
    if (!(error instanceof ProbeFailure && isPlainReply(error))) throw error;
    const message = `this port does not speak TLS: use http://${url.hostname}:${port}`;
    throw new ProbeFailure('tls_handshake', message, { cause: error });
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
