import { setMaxListeners } from 'node:events';
import http, { IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { type AddressInfo, Server as Listener } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SpeedtestEndpoint } from '@vantage/shared/speedtest/endpoint.js';
import { createHttpApp, type HttpServerOptions } from './app.js';
import { clientAddress, parseTrustedProxies } from './client-address.js';
import { ApiError } from './errors.js';
import { refuseSocket } from './refuse-socket.js';

/** How long the parts of a connection may take, milliseconds. */
export interface HttpTimeouts {
  /** From connecting, or from the end of the last request, to the last header. */
  readonly headersMs: number;
  /** To the last byte of the body, whether it is used or drained. */
  readonly requestMs: number;
  /** Between two requests. Longer than the 60 s of common load balancers, which must be the ones to close. */
  readonly idleMs: number;
  /** Without a byte in either direction; streams send comments more often than this. */
  readonly silenceMs: number;
  /** From stop() until connections that are still busy are cut. */
  readonly stopMs: number;
  /** After leave(): how long requests are still taken over the connections there are when stop() is called. */
  readonly lastMs: number;
}

const defaultTimeouts: HttpTimeouts = {
  headersMs: 15_000,
  requestMs: 30_000,
  idleMs: 65_000,
  silenceMs: 120_000,
  stopMs: 5_000,
  lastMs: 500,
};

/**
 * Requests of one connection that may be without an answer at once. node:http begins every request it has read, and one
 * connection could ask for ten thousand long polls; clients that send ahead at all send a few.
 */
const MAX_PIPELINED = 16;

export interface HttpServerSettings extends Omit<HttpServerOptions, 'closing'> {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** PEM certificate chain and key; absent: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly timeouts?: Partial<HttpTimeouts>;
  /** Takes the requests of speed tests, which are none of the API's; absent: that path does not exist. */
  readonly speedtest?: SpeedtestEndpoint;
}

/**
 * The API on a listener. `server` is there for others to take its 'upgrade' events; upgraded sockets are theirs to
 * close before stop(). Requests that node:http cannot parse are answered in the error envelope too.
 */
export class HttpServer {
  readonly server: http.Server;
  readonly #settings: HttpServerSettings;
  readonly #timeouts: HttpTimeouts;
  readonly #closing = new AbortController();
  readonly #sockets = new Set<Duplex>();
  /** The latest response of each connection: an answer to rubbish must not land in the middle of one. */
  readonly #responses = new WeakMap<Duplex, ServerResponse>();
  readonly #refused = new WeakSet<Duplex>();
  /** Requests of each connection that have no whole answer yet. */
  readonly #unanswered = new WeakMap<Duplex, number>();
  #stopped: Promise<void> | null = null;
  #isLeaving = false;

  /** @throws RangeError as createHttpApp */
  constructor(settings: HttpServerSettings) {
    this.#settings = settings;
    this.#timeouts = { ...defaultTimeouts, ...settings.timeouts };
    setMaxListeners(0, this.#closing.signal);
    const handle = createHttpApp({ ...settings, closing: this.#closing.signal }).callback();
    const trustedProxies = parseTrustedProxies(settings.trustedProxies);
    const onRequest = (request: IncomingMessage, response: ServerResponse) => {
      if (!this.#admit(request.socket, response)) return;
      if (this.#isLeaving) response.shouldKeepAlive = false;
      this.#responses.set(request.socket, response);
      if (settings.speedtest?.handle(request, response, clientAddress(request, trustedProxies))) return;
      void handle(request, response);
    };
    this.server = createServer(settings, this.#timeouts, onRequest);
    this.server.on(settings.tls === undefined ? 'connection' : 'secureConnection', (socket: Duplex) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      // node:http takes its own listener off what it hands to 'upgrade' and 'connect': a reset would end the process
      socket.on('error', () => {});
    });
    // an Expect we don't know is no reason to refuse (RFC 9110 section 10.1.1)
    this.server.on('checkExpectation', onRequest);
    this.server.on('clientError', (error, socket) => this.#refuse(error, socket));
    this.server.on('connect', (_request, socket) => refuseSocket(socket, new ApiError('NOT_FOUND'), settings));
  }

  /** Begins to listen; resolves with the bound address. @throws Error (EADDRINUSE, EACCES) */
  async start(): Promise<AddressInfo> {
    const { server } = this;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#settings.port, this.#settings.host, () => {
        server.off('error', reject);
        resolve();
      });
    });
    return server.address() as AddressInfo;
  }

  /** Serves on, but keeps no connection open after its answer: who is to come again finds another replica. */
  leave(): void {
    this.#isLeaving = true;
  }

  /**
   * Takes no more connections, ends streams and long polls, waits for what runs, then cuts it. After leave() the connections
   * there are are served a moment longer. May be called twice.
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
   * A balancer that is refused a connection tries the next replica; a request it sent over one that is closed before the answer it
   * may send nobody else (RFC 9110 section 9.2.2). So connections it keeps or has just opened are served until it knows of the end.
   */
  async #serveLast(): Promise<void> {
    const { clock } = this.#settings;
    // what the system accepted meanwhile is taken: without a listener it would be reset
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

  /** node:http closes connections between two requests, but not those that browsers open ahead of their first. */
  #closeUnused(): void {
    for (const socket of this.#sockets) {
      if (!this.#responses.has(socket)) socket.destroy();
    }
  }

  /** False for a request that is one too many: its connection is cut. */
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
  const server = tls === undefined ? http.createServer(options) : https.createServer({ ...options, ...tls });
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
