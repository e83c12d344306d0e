import { constants } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import http, { IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { type AddressInfo, Server as Listener, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SpeedtestEndpoint } from '@vantage/shared/speedtest/endpoint.js';
import { HeldAtOnce } from '../../runtime/held-at-once.js';
import { ApiError } from '../errors.js';
import { createHttpApp, type HttpServerOptions } from '../frame/app.js';
import { clientAddress, isTrustedProxy, parseTrustedProxies, type TrustedProxies } from '../frame/client-address.js';
import { Connections } from './connections.js';
import { refuseSocket } from './refuse-socket.js';

/** Time limits of a connection, in milliseconds. */
export interface HttpTimeouts {
  /** From connecting, or from the end of the last request, to the last header. A TLS handshake has as long before that. */
  readonly headersMs: number;
  /** To the last byte of the body, whether it is used or drained. */
  readonly requestMs: number;
  /**
   * Between two requests. Longer than the 60 s of common load balancers, which must be the ones to close. Clients are
   * sent it in whole seconds (`Keep-Alive: timeout`, rounded down): the fraction is the time that a client which goes by
   * it has left to close first, so that no request meets a connection that closes.
   */
  readonly idleMs: number;
  /** Time without a byte in either direction; streams send comments more often than this. */
  readonly silenceMs: number;
  /** Time from stop() until connections that are still busy are cut. */
  readonly stopMs: number;
  /** Time after leave() for which existing connections may still send requests once stop() is called. */
  readonly lastMs: number;
}

const defaultTimeouts: HttpTimeouts = {
  headersMs: 15_000,
  requestMs: 30_000,
  idleMs: 65_999,
  silenceMs: 120_000,
  stopMs: 5_000,
  lastMs: 500,
};

/**
 * Requests of one connection that may be unanswered at once. node:http starts every request it has read, and one
 * connection could send ten thousand long polls; clients that pipeline at all send a few.
 */
const MAX_PIPELINED = 16;

/**
 * Oldest TLS version. TLS 1.0 and 1.1 are deprecated (RFC 8996). Renegotiation, which costs the server more than the
 * client, is off.
 */
const handshakes = { minVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_RENEGOTIATION } as const;

export interface HttpServerSettings extends Omit<HttpServerOptions, 'closing'> {
  readonly host: string;
  /** Port; 0 takes a free one. */
  readonly port: number;
  /** Listens at this address already; its socket is taken over, and closed by stop(). Absent if nothing does. */
  readonly holder?: Listener | null;
  /** PEM certificate chain and key; absent: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly timeouts?: Partial<HttpTimeouts>;
  /** Connections of one address (IPv6: one /64) at once; this machine and trusted proxies are exempt. Absent for any number. */
  readonly connectionsPerAddress?: number;
  /** Handler of speed test requests, which are not part of the API; absent: that path does not exist. */
  readonly speedtest?: SpeedtestEndpoint;
}

/**
 * HTTP server of the API. `server` is available to others for its 'upgrade' events; they must close upgraded sockets
 * before stop(). Requests that node:http cannot parse get the error envelope too.
 */
export class HttpServer {
  readonly server: http.Server;
  readonly #settings: HttpServerSettings;
  readonly #timeouts: HttpTimeouts;
  readonly #closing = new AbortController();
  readonly #trustedProxies: TrustedProxies;
  readonly #connections = new Connections();
  readonly #held: HeldAtOnce;
  readonly #sockets = new Set<Duplex>();
  /** Latest response of each connection: the reply to a malformed request must not land in the middle of one. */
  readonly #responses = new WeakMap<Duplex, ServerResponse>();
  readonly #refused = new WeakSet<Duplex>();
  /** Requests of each connection that have no complete response yet. */
  readonly #unanswered = new WeakMap<Duplex, number>();
  #stopped: Promise<void> | null = null;
  #isLeaving = false;

  /** @throws RangeError as createHttpApp */
  constructor(settings: HttpServerSettings) {
    this.#settings = settings;
    this.#timeouts = { ...defaultTimeouts, ...settings.timeouts };
    setMaxListeners(0, this.#closing.signal);
    const handle = createHttpApp({ ...settings, closing: this.#closing.signal }).callback();
    this.#trustedProxies = parseTrustedProxies(settings.trustedProxies);
    this.#held = new HeldAtOnce(settings.connectionsPerAddress ?? Number.POSITIVE_INFINITY);
    const onRequest = (request: IncomingMessage, response: ServerResponse) => {
      if (!this.#admit(request.socket, response)) return;
      if (this.#isLeaving) response.shouldKeepAlive = false;
      this.#responses.set(request.socket, response);
      if (settings.speedtest?.handle(request, response, clientAddress(request, this.#trustedProxies))) return;
      void handle(request, response);
    };
    this.server = createServer(settings, this.#timeouts, onRequest);
    this.server.on('connection', (socket: Socket) => this.#accept(socket));
    this.server.on(settings.tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
      this.#connections.greeted(socket);
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      // node:http removes its own listener from sockets that it passes to 'upgrade' and 'connect': a reset would end
      // the process
      socket.on('error', () => {});
    });
    // an unknown Expect is no reason to refuse (RFC 9110 section 10.1.1)
    this.server.on('checkExpectation', onRequest);
    this.server.on('clientError', (error, socket) => this.#refuse(error, socket));
    this.server.on('connect', (_request, socket) => refuseSocket(socket, new ApiError('NOT_FOUND'), settings));
  }

  /** Begins to listen; resolves with the bound address. @throws Error (EADDRINUSE, EACCES) */
  async start(): Promise<AddressInfo> {
    const { server } = this;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      const { host, port, holder } = this.#settings;
      const listen = () => {
        server.off('error', reject);
        resolve();
      };
      if (holder) server.listen(holder, listen);
      else server.listen(port, host, listen);
    });
    return server.address() as AddressInfo;
  }

  /**
   * Continues to serve, but closes each connection after its response, so that callers reconnect to another replica.
   */
  leave(): void {
    this.#isLeaving = true;
  }

  /**
   * Accepts no more connections, ends streams and long polls, waits for running requests, then cuts them. After
   * leave(), existing connections are served a moment longer. May be called twice.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    if (!this.server.listening) return;
    if (this.#isLeaving) await this.#serveLast();
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.#closing.abort(new Error('the server is closing'));
    this.#closeUnused();
    const cancel = this.#settings.clock.after(this.#timeouts.stopMs, () => this.server.closeAllConnections());
    await closed;
    cancel();
  }

  /**
   * Serves existing connections until load balancers notice the end. A balancer whose connection is refused tries the
   * next replica, but it may not repeat a request that it sent over a connection closed before the response (RFC 9110
   * section 9.2.2). So connections that it keeps or has just opened are still served.
   */
  async #serveLast(): Promise<void> {
    const { clock } = this.#settings;
    // connections that the system accepted meanwhile are taken: without a listener they would be reset
    await new Promise<void>((resolve) => clock.afterInput(resolve));
    await new Promise<void>((resolve) => {
      const cancel = clock.after(this.#timeouts.lastMs, resolve);
      // close() of node:http would cut connections between two requests, too
      Listener.prototype.close.call(this.server, () => {
        cancel();
        resolve();
      });
    });
  }

  /**
   * Closes idle connections that node:http does not: those that browsers open ahead of their first request, and those
   * in the middle of a TLS handshake.
   */
  #closeUnused(): void {
    this.#connections.cutGreeting();
    for (const socket of this.#sockets) {
      if (!this.#responses.has(socket)) socket.destroy();
    }
  }

  /** Stops counting a socket as a connection of HTTP after its 'upgrade' was taken; the taker limits it. */
  handOver(socket: Duplex): void {
    this.#connections.handOver(socket as Socket);
  }

  /** Closes a connection over the limit of its address before a byte of it is read. */
  #accept(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const leave = isTrustedProxy(this.#trustedProxies, address) ? () => {} : this.#held.take(address);
    if (leave !== null) return this.#connections.begin(socket, leave);
    this.#settings.log.debug({ address }, 'connection refused: too many from its address');
    socket.destroy();
  }

  /** False if the request is over the limit of its connection, which is then cut. */
  #admit(socket: Duplex, response: ServerResponse): boolean {
    const unanswered = (this.#unanswered.get(socket) ?? 0) + 1;
    if (socket.destroyed || unanswered > MAX_PIPELINED) {
      socket.destroy();
      return false;
    }
    this.#unanswered.set(socket, unanswered);
    response.once('close', () => this.#unanswered.set(socket, (this.#unanswered.get(socket) ?? 1) - 1));
    return true;
  }

  #refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
    if (this.#refused.has(socket)) return;
    const response = this.#responses.get(socket);
    const isAnswering = response !== undefined && response.headersSent && !response.writableFinished;
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
      socket.destroy();
      return;
    }
    this.#refused.add(socket);
    this.#settings.log.debug({ err: error }, 'unreadable request');
    refuseSocket(socket, refusalOf(error.code), this.#settings);
  }
}

/**
 * Only an upgrade to WebSocket is one. With a listener for 'upgrade', node:http 20 would hand it every request that offers
 * any (Java's HTTP client offers h2c on each), although ignoring the offer is always allowed (RFC 9110 section 7.8).
 */
class ApiRequest extends IncomingMessage {
  // `declare`: the constructor of node:http sets `upgrade` before fields of this class would exist
  declare private isOffered: boolean | null;

  get upgrade(): boolean | null {
    if (this.isOffered !== true || this.method === 'CONNECT') return this.isOffered;
    return this.headers.upgrade?.toLowerCase() === 'websocket';
  }

  set upgrade(isOffered: boolean | null) {
    this.isOffered = isOffered;
  }
}

function createServer(
  { tls }: HttpServerSettings,
  timeouts: HttpTimeouts,
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): http.Server {
  const options: http.ServerOptions = {
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.idleMs,
    connectionsCheckingInterval: Math.min(timeouts.headersMs, 5_000),
    IncomingMessage: ApiRequest,
    // the frame refuses a missing Host itself, in the envelope
    requireHostHeader: false,
  };
  const server =
    tls === undefined
      ? http.createServer(options)
      : https.createServer({ ...options, ...tls, ...handshakes, handshakeTimeout: timeouts.headersMs });
  server.on('request', onRequest);
  server.timeout = timeouts.silenceMs;
  return server;
}

function refusalOf(code: string | undefined): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('REQUEST_BODY_INVALID', { status: 431 });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('REQUEST_TIMEOUT');
    default:
      return new ApiError('REQUEST_BODY_INVALID');
  }
}
