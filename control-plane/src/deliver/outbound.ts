import { setMaxListeners } from 'node:events';
import type { Clock } from '@vantage/shared/clock.js';
import { checkRequestHeaders } from '@vantage/shared/target-policy/headers.js';
import type { Host } from '@vantage/shared/target-policy/host.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { refused, TargetError } from '@vantage/shared/target-policy/target-error.js';
import { parseHttpUrl } from '@vantage/shared/target-policy/url.js';
import { Connection, FloodError } from './connection.js';
import { dial } from './dial.js';
import { OutboundError, type OutboundFailure } from './errors.js';
import type { ResponseHeaders } from './judge.js';
import { KeptConnections, type Sharing } from './kept.js';
import { Lookups } from './lookups.js';
import { type Address, pinnedAddresses, type Resolve } from './pinned.js';
import { systemResolver } from './resolver.js';
import { maskSecrets, SecretMask } from './secrets.js';

// One exchange:
//
//   judge the URL ──> resolve once, judge every address ──> kept connection to one of these, or dial ──> request ──> response, up to a cap
//   └──────────────────────────────── one deadline over all of it, which destroys the socket ──────────────────────────────────────────┘
//
// Host and SNI have the name as it was written. Redirects are returned as responses. Proxies of the environment are
// ignored, since node:http does not use them. A connection is kept for requests that say so; if the server has closed
// it meanwhile, the exchange goes on with a new one, once.

/** Greatest number of bytes of a response that are shown to people. */
const EXCERPT_BYTES = 4 * 1024;

interface OutboundOptions {
  /** Target policy at the time of an exchange. */
  readonly policy: () => TargetPolicy;
  /** Name of the service, sent with every request. */
  readonly userAgent: string;
  readonly clock: Clock;
  /** Default: `systemResolver`. */
  readonly resolve?: Resolve;
  /** PEM; in place of the public roots. */
  readonly trustedCertificates?: readonly string[];
  /** Time for which a connection is kept without a request, in milliseconds; default: 4 000. */
  readonly idleMs?: number;
}

/** One request to another server. */
export interface OutboundRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Time for resolving, connecting, sending and receiving together. */
  readonly deadlineMs: number;
  /** Greatest number of bytes of the body that are read. */
  readonly maxResponseBytes: number;
  /** Secrets that are masked wherever the request or its response is shown. */
  readonly secrets: readonly string[];
  readonly signal?: AbortSignal;
  /** Account on whose behalf it is sent, which shares limits with its other requests; absent: the operator. */
  readonly account?: string;
  /** True if the address is the operator's own by configuration: the target policy does not judge it. Default: false. */
  readonly isExempt?: boolean;
  /**
   * Name of the requests that may share a connection, which is then kept for some seconds; absent: it is closed after the
   * response. If the server closes a kept connection without any response, the request is sent once more on a new one:
   * only for requests whose receivers can recognize a double.
   */
  readonly keptFor?: string;
}

/** Response, whatever its status. */
export interface OutboundResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Body as it was sent; nothing is decompressed. */
  readonly body: Buffer;
  /** False if the body is longer than the bytes that are read. */
  readonly isComplete: boolean;
  /** At most 4 KiB of the body, secrets masked: for people and logs. */
  readonly excerpt: string;
  readonly durationMs: number;
}

/** Outbound HTTP client: target policy, pinned addresses, one deadline, capped responses, masked errors. */
export class Outbound {
  readonly #kept = new KeptConnections();
  readonly #lookups: Lookups;
  readonly #stopping = new AbortController();

  constructor(private readonly options: OutboundOptions) {
    const { resolve = systemResolver(options) } = options;
    this.#lookups = new Lookups(resolve);
    // each exchange under way listens
    setMaxListeners(0, this.#stopping.signal);
  }

  /** Number of connections that are kept without a request. */
  get keptConnections(): number {
    return this.#kept.count;
  }

  /** Closes the connections that are kept without a request. */
  closeKept(): void {
    this.#kept.dropAll();
  }

  /** Ends the exchanges under way, and closes the connections that are kept; from now on nothing is sent. */
  stop(): void {
    this.#stopping.abort();
    this.#kept.stop();
  }

  /**
   * Checks a URL when it is configured. The addresses of a name are checked again at each connection.
   * @throws TargetError with field `field`
   */
  check(url: string, field: string): void {
    const policy = this.options.policy();
    const { url: parsed, host } = parseHttpUrl(url, field);
    policy.checkHost(host, field);
    const mayBePlain = host.kind === 'address' ? policy.isExempt(host.address) : policy.lists.allow.length > 0;
    if (parsed.protocol !== 'https:' && !mayBePlain) throw refused(field, 'must be an https URL');
  }

  /** Performs one exchange. @throws OutboundError; or the signal's reason */
  async send(request: OutboundRequest): Promise<OutboundResponse> {
    const { clock } = this.options;
    const { signal, deadlineMs } = request;
    signal?.throwIfAborted();
    const exchange = new Exchange(this.options, request, { kept: this.#kept, lookups: this.#lookups });
    const giveUp = new AbortController();
    const abort = () => giveUp.abort();
    const enders = [this.#stopping.signal, ...(signal === undefined ? [] : [signal])];
    for (const ender of enders) ender.addEventListener('abort', abort, { once: true });
    if (this.#stopping.signal.aborted) abort();
    const startedMs = clock.monotonicMs();
    let isOver = false;
    const cancel = clock.after(deadlineMs, () => {
      isOver = true;
      abort();
    });
    try {
      giveUp.signal.throwIfAborted();
      // whatever a part of it waits for, the exchange is over when it is given up
      const received = await unlessAborted(giveUp.signal, exchange.run(giveUp.signal));
      return { ...received, durationMs: clock.monotonicMs() - startedMs };
    } catch (error) {
      if (isOver) throw exchange.failure('timeout', `no whole response within ${deadlineMs / 1_000} s`);
      signal?.throwIfAborted();
      if (this.#stopping.signal.aborted) throw exchange.failure('unreachable', 'the control plane stops');
      throw exchange.failureOf(error);
    } finally {
      cancel();
      for (const ender of enders) ender.removeEventListener('abort', abort);
      exchange.close();
    }
  }
}

/** One request, and the connection that it uses. */
class Exchange {
  #connection: Connection | null = null;
  #origin = 'the address';
  #mayHaveArrived = false;

  constructor(
    private readonly options: OutboundOptions,
    private readonly request: OutboundRequest,
    private readonly shared: { readonly kept: KeptConnections; readonly lookups: Lookups },
  ) {}

  async run(signal: AbortSignal): Promise<Omit<OutboundResponse, 'durationMs'>> {
    const { method, headers = {}, body, secrets, maxResponseBytes } = this.request;
    const { url, host } = parseHttpUrl(this.request.url, 'url');
    this.#origin = url.origin;
    checkRequestHeaders(headers);
    const addresses = await this.#judgedAddresses(host, url, signal);
    const request = {
      method,
      path: `${url.pathname}${url.search}`,
      headers: {
        host: url.host,
        'user-agent': this.options.userAgent,
        'accept-encoding': 'identity',
        ...lowerCased(headers),
      },
      body,
    };
    const send = (connection: Connection) => connection.exchange(request, maxResponseBytes);
    const { status, headers: received, bytes, isComplete } = await this.#respond(send, { url, addresses, signal });
    if (isComplete) this.#keep();
    return { status, headers: received, body: bytes, isComplete, excerpt: excerptOf(bytes, secrets, isComplete) };
  }

  async #judgedAddresses(host: Host, url: URL, signal: AbortSignal): Promise<readonly Address[]> {
    const { isExempt = false, account = '' } = this.request;
    const resolve = named((name) => this.shared.lookups.run(name, account, signal));
    const policy = isExempt ? null : this.options.policy();
    try {
      return await pinnedAddresses(host, { policy, resolve, isEncrypted: url.protocol === 'https:' });
    } catch (error) {
      if (error instanceof TargetError) this.shared.kept.drop(url.origin);
      throw error;
    }
  }

  async #respond<T>(send: (connection: Connection) => Promise<T>, way: Way): Promise<T> {
    // given up meanwhile: no one would close what it takes or sends now
    way.signal.throwIfAborted();
    const sharing = this.#sharing();
    const kept = sharing === null ? null : this.shared.kept.take(sharing, way.addresses);
    const connection = kept ?? (await this.#connect(way));
    this.#connection = connection;
    try {
      return await send(connection);
    } catch (error) {
      const closed = kept?.closedEarly(error) ?? null;
      if (closed === null || way.signal.aborted) throw error;
      if (closed === 'unknown') this.#mayHaveArrived = true;
      this.close();
      this.#connection = null;
      this.#connection = await this.#connect(way);
      return await send(this.#connection);
    }
  }

  async #connect({ url, addresses, signal }: Way): Promise<Connection> {
    const { trustedCertificates, idleMs } = this.options;
    const socket = await dial({ url, addresses, trustedCertificates }, signal);
    return new Connection(socket, { isKept: this.request.keptFor !== undefined, idleMs });
  }

  #keep(): void {
    const sharing = this.#sharing();
    if (sharing === null || this.#connection === null) return;
    this.shared.kept.keep(sharing, this.#connection);
    this.#connection = null;
  }

  /** Requests that may use the same connection as this one, or null. */
  #sharing(): Sharing | null {
    const { keptFor, isExempt = false } = this.request;
    return keptFor === undefined ? null : { origin: this.#origin, key: `${isExempt} ${keptFor}` };
  }

  failure(reason: OutboundFailure, message: string): OutboundError {
    const text = `${this.#origin}: ${message}`;
    const mayHaveArrived = this.#mayHaveArrived || this.#isConnected;
    return new OutboundError(reason, maskSecrets(text, this.request.secrets), mayHaveArrived);
  }

  failureOf(error: unknown): OutboundError {
    if (error instanceof OutboundError) return error;
    if (error instanceof TargetError) return this.failure('refused', error.message);
    if (error instanceof UnresolvedError) return this.failure('dns', `cannot resolve the name (${error.code})`);
    const code = codeOf(error);
    if (error instanceof FloodError || /^HPE_.*OVERFLOW$/.test(code))
      return this.failure('protocol', 'no whole response (too many bytes around its body)');
    if (isTlsCode(code)) return this.failure('tls', `cannot agree on TLS (${code})`);
    if (this.#isConnected) return this.failure('protocol', `no whole response (${code})`);
    return this.failure('unreachable', `cannot connect (${code})`);
  }

  close(): void {
    this.#connection?.close();
  }

  get #isConnected(): boolean {
    return this.#connection !== null;
  }
}

/** How an exchange reaches its server. */
interface Way {
  readonly url: URL;
  readonly addresses: readonly Address[];
  readonly signal: AbortSignal;
}

/** A name has no address, or no server replies for it. */
class UnresolvedError extends Error {
  override readonly name = 'UnresolvedError';

  constructor(readonly code: string) {
    super(code);
  }
}

function named(resolve: (name: string) => Promise<readonly Address[]>): typeof resolve {
  return async (name) => {
    const found = await resolve(name).catch((error: unknown) => {
      throw new UnresolvedError(codeOf(error));
    });
    if (found.length === 0) throw new UnresolvedError('ENODATA');
    return found;
  };
}

/** Settles with `promise`, unless the signal is aborted first. */
function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function excerptOf(bytes: Buffer, secrets: readonly string[], isComplete: boolean): string {
  const mask = SecretMask.of(secrets);
  const read = bytes.subarray(0, EXCERPT_BYTES + mask.longest);
  const text = read.toString('utf8');
  // the end of the text that was read may contain the beginning of a secret
  const isWhole = isComplete && read.length === bytes.length;
  const sure = isWhole ? text : text.slice(0, Math.max(0, text.length - mask.longest));
  return mask.apply(sure).slice(0, EXCERPT_BYTES);
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Code of an error; for one with several parts, that of the first. Never its message, which may show the request. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' ? code : 'failed';
}

function isTlsCode(code: string): boolean {
  return /^ERR_(?:SSL|TLS)_|^EPROTO$|CERT|SIGNATURE|^UNABLE_TO_/.test(code);
}
