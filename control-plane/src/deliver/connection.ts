import type { LookupFunction, Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher } from 'undici';
import type { Address } from './pinned.js';

const MAX_HEADER_BYTES = 32 * 1024;
/** Time for which a connection is kept without a request; a shorter one that the server states applies. */
const IDLE_MS = 4_000;
/** Time by which a connection is given up before the server would close it. */
const BEFORE_SERVER_MS = 1_000;

/** A server sends more bytes than a response may have. */
export class FloodError extends Error {
  override readonly name = 'FloodError';
}

/** A kept connection was closed before the request was written to it. */
class StaleError extends Error {
  override readonly name = 'StaleError';
}

/** Given to every client that ends: it would make an error of its own, whose stack costs more than all else that ends it. */
const OVER = new Error('the exchange is over');

interface ConnectionOptions {
  readonly origin: string;
  /** Addresses that it may be established to. */
  readonly addresses: readonly Address[];
  /** PEM; in place of the public roots. */
  readonly trustedCertificates: readonly string[] | undefined;
  /** True if further requests may follow the first one. */
  readonly isKept: boolean;
  /** Time for which it is kept without a request; default: 4 s. */
  readonly idleMs?: number | undefined;
}

/** One connection to one of several addresses, for one request at a time. It is never established twice. */
export class Connection {
  readonly #client: Client;
  #socket: Socket | null = null;
  #requests = 0;
  #bytesBefore = 0;
  #maxBytes = 0;
  /** Called when it is closed after it was established. */
  onClosed: () => void = () => {};

  constructor(private readonly options: ConnectionOptions) {
    const { origin, isKept, idleMs = IDLE_MS } = options;
    this.#client = new Client(origin, {
      connect: this.#connector(),
      // the deadline of the exchange applies to all of it
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
      pipelining: isKept ? 1 : 0,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      keepAliveTimeoutThreshold: BEFORE_SERVER_MS,
    });
  }

  /** True once it was established. */
  get isConnected(): boolean {
    return this.#socket !== null;
  }

  /** True while another request may be sent. */
  get isOpen(): boolean {
    return this.options.isKept && this.#socket !== null && !this.#socket.destroyed;
  }

  /** True if it was established to one of the addresses. */
  isTo(addresses: readonly Address[]): boolean {
    const peer = this.#socket?.remoteAddress;
    return addresses.some(({ address }) => address === peer);
  }

  /** Sends a request. More than `maxBytes` received, head included, end the connection with a FloodError. */
  request(request: Dispatcher.RequestOptions, maxBytes: number): Promise<Dispatcher.ResponseData> {
    this.#requests += 1;
    this.#bytesBefore = this.#socket?.bytesRead ?? 0;
    this.#maxBytes = maxBytes;
    return this.#client.request(request);
  }

  /**
   * Tells how the last request has failed if the server had closed the connection after an earlier one: `unsent` if it was
   * not written, `unknown` if it was and nothing of a response came; null for every other failure.
   */
  closedEarly(error: unknown): 'unsent' | 'unknown' | null {
    if (error instanceof StaleError) return 'unsent';
    const isFirst = this.#requests < 2;
    if (isFirst || this.#socket === null || this.#socket.bytesRead > this.#bytesBefore) return null;
    return isClosing(error) ? 'unknown' : null;
  }

  /** Closes it at once, whatever it does. */
  async close(): Promise<void> {
    await this.#client.destroy(OVER).catch(() => {});
  }

  #connector(): buildConnector.connector {
    const { addresses, trustedCertificates } = this.options;
    const connect = buildConnector({
      lookup: pinnedLookup(addresses),
      autoSelectFamily: true,
      timeout: 0,
      allowH2: false,
      ...(trustedCertificates === undefined ? {} : { ca: [...trustedCertificates] }),
    } as buildConnector.BuildOptions);
    return (options, callback) => {
      // the client would connect again, to addresses that were judged for an earlier exchange
      if (this.#socket !== null) return callback(new StaleError(), null);
      return connect(options, (...result) => {
        if (result[0] === null) this.#accept(result[1]);
        callback(...result);
      });
    };
  }

  #accept(socket: Socket): void {
    this.#socket = socket;
    socket.once('close', () => this.onClosed());
    socket.on('readable', () => {
      if (socket.bytesRead > this.#bytesBefore + this.#maxBytes) socket.destroy(new FloodError());
    });
  }
}

/** Lookup of the socket, which uses the pinned addresses: a second reply of DNS is never used. */
function pinnedLookup(addresses: readonly Address[]): LookupFunction {
  return (_name, { all }, callback) => {
    const [first] = addresses;
    if (all || first === undefined) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

/** True for the errors of a connection that the other side closes. */
function isClosing(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}
