import { Agent, type IncomingMessage, request as sendRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { ResponseHeaders } from './judge.js';
import type { Address } from './pinned.js';

const MAX_HEADER_BYTES = 32 * 1024;
/**
 * Greatest number of bytes received in addition to the body: head, interim responses, empty lines, framing of chunks, trailers. A
 * server that sends these without end takes a whole processor until the deadline.
 */
const MAX_FRAMING_BYTES = 256 * 1024;
/** Time for which a connection is kept without a request; a shorter one that the server states applies. */
const IDLE_MS = 4_000;

/** A server sends more bytes than a response may have, or bytes that are no response to any request. */
export class FloodError extends Error {
  override readonly name = 'FloodError';
}

/** A kept connection was closed before the request was written to it. */
class StaleError extends Error {
  override readonly name = 'StaleError';
}

/** Request as it is written. */
interface Request {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

/** Response as it came. */
interface Received {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** At most as many bytes as were to be read. */
  readonly bytes: Buffer;
  /** False if the body is longer. */
  readonly isComplete: boolean;
}

/**
 * HTTP over one established socket, for one request at a time. It owns the socket, and never uses another. By node:http: its parser
 * ends a head of too many lines at once, where undici's took a second of the event loop (7.30, measured 2026-11).
 */
export class Connection {
  readonly #agent: Agent;
  #requests = 0;
  #isBusy = false;
  #bytesBefore = 0;
  #maxBytes = 0;
  #broken: unknown = null;
  /** Called when it is closed. */
  onClosed: () => void = () => {};

  /** `isKept`: true if further requests may follow the first one. `idleMs`: time for which it is kept without one. */
  constructor(
    private readonly socket: Socket,
    private readonly options: { readonly isKept: boolean; readonly idleMs: number | undefined },
  ) {
    this.#agent = new SocketAgent(socket, options);
    socket.once('error', (error) => {
      this.#broken = error;
    });
    socket.once('close', () => this.onClosed());
    socket.on('data', () => {
      if (!this.#isBusy || socket.bytesRead > this.#bytesBefore + this.#maxBytes) socket.destroy(new FloodError());
    });
  }

  /** True while another request may be sent. */
  get isOpen(): boolean {
    return this.options.isKept && this.socket.writable;
  }

  /** True if it was established to one of the addresses. */
  isTo(addresses: readonly Address[]): boolean {
    const peer = this.socket.remoteAddress;
    return addresses.some(({ address }) => address === peer);
  }

  /**
   * Sends a request, and reads at most `maxBodyBytes` of the body of its response.
   * @throws FloodError if the server sends more than that and its framing; or the error of the socket or of the parser
   */
  async exchange(request: Request, maxBodyBytes: number): Promise<Received> {
    this.#requests += 1;
    this.#isBusy = true;
    this.#bytesBefore = this.socket.bytesRead;
    this.#maxBytes = maxBodyBytes + MAX_FRAMING_BYTES;
    try {
      const response = await this.#send(request);
      const { statusCode: status = 0, headers } = response;
      return { status, headers, ...(await readUpTo(response, maxBodyBytes)) };
    } catch (error) {
      throw this.#broken ?? error;
    } finally {
      this.#isBusy = false;
    }
  }

  /**
   * Reports how the last request has failed if the server had closed the connection after an earlier one: `unsent` if it was
   * not written, `unknown` if it was and nothing of a response came; null for every other failure.
   */
  closedEarly(error: unknown): 'unsent' | 'unknown' | null {
    if (error instanceof StaleError) return 'unsent';
    const isFirst = this.#requests < 2;
    if (isFirst || this.socket.bytesRead > this.#bytesBefore) return null;
    const { code } = Object(error) as { code?: unknown };
    return code === 'ECONNRESET' || code === 'EPIPE' ? 'unknown' : null;
  }

  /** Closes it at once, whatever it does. */
  close(): void {
    this.socket.destroy();
  }

  #send({ method, path, headers, body }: Request): Promise<IncomingMessage> {
    // nothing would be heard of a request over a socket whose end is past
    if (this.socket.destroyed) return Promise.reject(new StaleError());
    return new Promise((resolve, reject) => {
      const sent = sendRequest({
        agent: this.#agent,
        method,
        path,
        headers,
        setHost: false,
        maxHeaderSize: MAX_HEADER_BYTES,
      });
      sent.on('response', resolve);
      // also after the response, when its body sees no more than that it has ended
      sent.on('error', (error) => {
        this.#broken ??= error;
        reject(error);
      });
      // without either of them: the server has switched to another protocol, which no one asked for
      sent.on('close', () => reject(Object.assign(new Error('no response'), { code: 'ECONNRESET' })));
      sent.end(body);
    });
  }
}

/** Gives the requests of a connection its socket, closes it when it is idle for long, and never makes another. */
class SocketAgent extends Agent {
  #isTaken = false;

  constructor(
    private readonly socket: Socket,
    { isKept, idleMs = IDLE_MS }: { readonly isKept: boolean; readonly idleMs: number | undefined },
  ) {
    super(isKept ? { keepAlive: true, maxSockets: 1, timeout: idleMs } : { keepAlive: false });
  }

  override createConnection(_options: unknown, callback: (error: Error | null) => void): Socket | undefined {
    if (!this.#isTaken) {
      this.#isTaken = true;
      return this.socket;
    }
    // another one might lead to addresses that were judged for an earlier exchange
    callback(new StaleError());
    return undefined;
  }
}

async function readUpTo(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly isComplete: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk.subarray(0, maxBytes - length));
    length += chunk.length;
    if (length > maxBytes) return { bytes: Buffer.concat(chunks), isComplete: false };
  }
  return { bytes: Buffer.concat(chunks), isComplete: true };
}
