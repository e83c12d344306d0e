import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { EndOfTurn } from '../../runtime/end-of-turn.js';
import type { Logger } from '../../runtime/log.js';
import type { Allowance } from '../allowance.js';
import { chosenLocale, type Locale, negotiateLocale } from '../locale.js';
import type { Account, RawBody, RouteRequest } from '../route.js';
import { clientAddress, type TrustedProxies } from './client-address.js';
import type { CompiledRoute } from './compiled-route.js';

/** Parts of the server that every exchange uses. */
export interface ExchangeContext {
  readonly log: Logger;
  readonly clock: Clock;
  readonly trustedProxies: TrustedProxies;
  /** Aborted when the server begins to close. */
  readonly closing: AbortSignal;
  /** In which responses are written. */
  readonly endOfTurn: EndOfTurn;
  /** Called when the server begins to close: one listener of `closing` calls them all. */
  readonly endings: Set<() => void>;
}

const NO_BODY: RawBody = { bytes: Buffer.alloc(0), isCut: false };

/**
 * One request and its reply. Handlers see it as their RouteRequest once `params`, `query`, `body` and `account` are
 * set. Parts that not every request needs (locale, log, address, signal) are created on first use.
 */
export class Exchange implements RouteRequest<unknown, unknown, unknown> {
  params: unknown = {};
  query: unknown = {};
  body: unknown = undefined;
  rawBody: RawBody = NO_BODY;
  file: Buffer = NO_BODY.bytes;
  account: Account | null = null;
  /** Remainder of the limit the request counted against; null if it counted against none. */
  allowance: Allowance | null = null;
  /** Null until the path and method are known. */
  route: CompiledRoute | null = null;
  readonly requestId: string;
  readonly #context: ExchangeContext;
  readonly #startedAt: number;
  #locale: Locale | null = null;
  #log: Logger | null = null;
  #address: string | null = null;
  #signal: AbortSignal | null = null;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    context: ExchangeContext,
  ) {
    this.#context = context;
    this.#startedAt = context.clock.monotonicMs();
    this.requestId = requestIdOf(request);
  }

  /** Milliseconds since the request's headers were read. */
  get tookMs(): number {
    return this.#context.clock.monotonicMs() - this.#startedAt;
  }

  /** Whole seconds from now until an instant, at least 1. */
  secondsUntil(instantMs: number): number {
    return Math.max(1, Math.ceil((instantMs - this.#context.clock.now()) / 1_000));
  }

  get method(): string {
    return this.request.method ?? '';
  }

  get url(): string {
    return this.request.url ?? '/';
  }

  get locale(): Locale {
    this.#locale ??= this.#chosenLocale ?? negotiateLocale(this.request.headers['accept-language']);
    return this.#locale;
  }

  /** Language that the address of a page names; null if it names none, or is no page's. */
  get #chosenLocale(): Locale | null {
    const isPage = this.route === null || this.route.definition.replyKind === 'html';
    return isPage ? chosenLocale(this.url) : null;
  }

  /** True if any part of the reply depends on the caller's language. */
  get isLocalised(): boolean {
    return this.#locale !== null;
  }

  get log(): Logger {
    this.#log ??= this.#context.log.child({ request_id: this.requestId });
    return this.#log;
  }

  get address(): string {
    this.#address ??= clientAddress(this.request, this.#context.trustedProxies);
    return this.#address;
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#watch();
    return this.#signal;
  }

  /** True if the caller disconnected before the reply was complete. */
  get isAbandoned(): boolean {
    return this.response.destroyed || (this.response.closed && !this.response.writableFinished);
  }

  get isServerClosing(): boolean {
    return this.#context.closing.aborted;
  }

  /** Ends the response at the end of this turn. */
  endWith(body: string | Buffer): void {
    this.#context.endOfTurn.add(() => {
      if (!this.response.destroyed) this.response.end(body);
    });
  }

  header(name: string): string | null {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value.join(', ') : (value ?? null);
  }

  onEnding(callback: () => void): () => void {
    const { endings } = this.#context;
    const end = () => {
      stop();
      if (this.#reasonToEnd !== null) callback();
    };
    const stop = () => {
      endings.delete(end);
      this.response.off('close', end);
    };
    endings.add(end);
    this.response.on('close', end);
    if (this.#reasonToEnd !== null) queueMicrotask(end);
    return stop;
  }

  #watch(): AbortSignal {
    const abort = new AbortController();
    if (this.#reasonToEnd === null) this.onEnding(() => abort.abort(this.#reasonToEnd));
    else abort.abort(this.#reasonToEnd);
    return abort.signal;
  }

  /** Why no response is wanted any more, or none may be waited for; null if there is no reason. */
  get #reasonToEnd(): Error | null {
    const { closing } = this.#context;
    if (closing.aborted) return closing.reason as Error;
    if (!this.response.closed || this.response.writableFinished) return null;
    return new Error('the caller closed the connection');
  }
}

/** The caller's X-Request-Id where it is 8 to 128 of `[A-Za-z0-9_.-]`, else a fresh id. */
function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9_.-]{8,128}$/.test(given) ? given : newId(idPrefixes.request);
}
