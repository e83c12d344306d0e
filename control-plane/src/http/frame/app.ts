import type { Clock } from '@vantage/shared/clock.js';
import Koa from 'koa';
import { isUnavailable } from '../../db/unavailable.js';
import type { Plans } from '../../plans/index.js';
import { EndOfTurn } from '../../runtime/end-of-turn.js';
import type { Logger } from '../../runtime/log.js';
import type { Authenticator } from '../access.js';
import { ApiError } from '../errors.js';
import { callerKey, type RateLimiter } from '../rate-limit.js';
import type { AnyRoute, DataReply, RawReply, Reply, Services } from '../route.js';
import { Admission } from './admission.js';
import { ConnectionLostError, readBody, readBodyStart, readFile, refuseLargeBody } from './body.js';
import { CallerTurns } from './caller-turns.js';
import { parseTrustedProxies } from './client-address.js';
import { type CompiledRoute, compileRoute } from './compiled-route.js';
import { sendEvents } from './event-stream.js';
import { Exchange, type ExchangeContext } from './exchange.js';
import { sendFile } from './file-stream.js';
import { fingerprintOf, type IdempotencyKeys, idempotencyKeyOf, isKept, type Rendered } from './idempotency.js';
import type { HttpMetrics } from './metrics.js';
import { renderData, renderError, renderRaw, send, sendOptions } from './reply.js';
import { checkHead, splitTarget, withoutFinalSlashes } from './request-head.js';
import { RouteTable } from './route-table.js';
import { UndeclaredReplyError } from './strict.js';

export type { Authenticator } from '../access.js';

export interface HttpServerOptions {
  readonly routes: readonly AnyRoute[];
  readonly services: Services;
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  readonly plans: Plans;
  readonly idempotency: IdempotencyKeys;
  readonly log: Logger;
  readonly clock: Clock;
  /** Longest wait of a request for its turn among others of its caller, in milliseconds; default: 5 000. */
  readonly turnMs?: number | undefined;
  /** Address where callers reach this server, without a final slash. */
  readonly publicUrl: string;
  /** Addresses and CIDR ranges whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** For tests: replies and errors that a route does not declare become a 500. */
  readonly isStrict: boolean;
  readonly metrics?: HttpMetrics;
  /** Aborted when the server begins to close: streams end, connections are not kept. */
  readonly closing?: AbortSignal;
}

/** Status that is logged for a request whose caller left before the response; it is never sent. */
const CALLER_LEFT = 499;

/**
 * The whole API as a Koa application. A request meets, in this order: 400 for an ambiguous head, 404/405 of the path,
 * 413, 401, 403, 429, 400 for its input, the handler. Everything is compiled here, before the first request.
 * @throws RangeError for a route that contradicts itself or a trusted proxy that is no address
 */
export function createHttpApp(options: HttpServerOptions): Koa {
  const frame = new Frame(options);
  const koa = new Koa();
  koa.use((ctx) => {
    // the frame writes to the response directly: Koa's own method costs about 10 us per request
    ctx.respond = false;
    return frame.answer(ctx.req, ctx.res);
  });
  koa.on('error', (err) => options.log.debug({ err }, 'connection error'));
  return koa;
}

class Frame {
  readonly #options: HttpServerOptions;
  readonly #context: ExchangeContext;
  readonly #table = new RouteTable<CompiledRoute>();
  readonly #admission: Admission;
  readonly #turns: CallerTurns;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#admission = new Admission(options);
    this.#turns = new CallerTurns(options.clock, options.turnMs);
    const trustedProxies = parseTrustedProxies(options.trustedProxies);
    const closing = options.closing ?? new AbortController().signal;
    const endings = new Set<() => void>();
    closing.addEventListener('abort', () => endings.forEach((end) => end()), { once: true });
    const endOfTurn = new EndOfTurn(options.clock);
    this.#context = { log: options.log, clock: options.clock, trustedProxies, closing, endOfTurn, endings };
    for (const route of options.routes)
      this.#table.add(route.method, route.path, compileRoute(route, options.isStrict));
  }

  async answer(request: Koa.Context['req'], response: Koa.Context['res']): Promise<void> {
    const exchange = new Exchange(request, response, this.#context);
    try {
      await this.#run(exchange);
    } catch (error) {
      await this.#fail(exchange, error);
    }
    this.#record(exchange);
  }

  async #run(exchange: Exchange): Promise<void> {
    const { request } = exchange;
    checkHead(request);
    const { path, search } = splitTarget(request.url ?? '');
    const match = this.#table.find(path) ?? this.#table.find(withoutFinalSlashes(path));
    if (match === null) throw new ApiError('NOT_FOUND');
    const { endpoint, segments } = match;
    if (request.method === 'OPTIONS') {
      return sendOptions(exchange, endpoint, endpoint.methods.get('GET')?.isOpenToOrigins === true);
    }
    const route = endpoint.methods.get(request.method === 'HEAD' ? 'GET' : (request.method ?? ''));
    if (route === undefined) throw methodRefused(endpoint.allow);
    exchange.route = route;
    const { file } = route.definition;
    const body = await this.#readBody(exchange, route);
    await this.#admission.admit(exchange, route, search);
    await route.definition.checkLimits?.(exchange, this.#options.services);
    const input = route.parseInput({ segments, search, body, request });
    if (file !== undefined) exchange.file = await readFile(request, this.#options.clock, file);
    exchange.params = input.params;
    exchange.query = input.query;
    exchange.body = input.body;
    const key = request.method === 'POST' ? idempotencyKeyOf(exchange.header('idempotency-key')) : null;
    if (key === null) await this.#answerAlways(exchange, route);
    else await this.#answerOnce(exchange, route, { key, body: body ?? exchange.file });
  }

  /**
   * Body of the request; null if the handler gets none, or reads it itself. A file is read only for callers that may
   * send one.
   */
  async #readBody(exchange: Exchange, { definition, hasBody }: CompiledRoute): Promise<Buffer | null> {
    const { request } = exchange;
    const { clock } = this.#options;
    if (!hasBody) return null;
    if (definition.file !== undefined) {
      refuseLargeBody(request, definition.file.maxBytes);
      return null;
    }
    if (definition.rawBody === undefined) {
      refuseLargeBody(request);
      return readBody(request, clock);
    }
    exchange.rawBody = await readBodyStart(request, clock, definition.rawBody.keepBytes);
    return null;
  }

  async #answerAlways(exchange: Exchange, route: CompiledRoute): Promise<void> {
    const reply = await this.#handle(exchange, route);
    if ('file' in reply) return sendFile(exchange, reply);
    if (!('events' in reply)) return send(exchange, render(exchange, reply));
    await sendEvents(exchange, reply, this.#options.clock, (data) => route.strict?.checkEvent(data));
  }

  /** Executes the first request with a key and stores its response; later requests get that response. */
  async #answerOnce(
    exchange: Exchange,
    route: CompiledRoute,
    { key, body }: { readonly key: string; readonly body: Buffer | null },
  ): Promise<void> {
    const { method = '', url = '' } = exchange.request;
    const claim = await this.#options.idempotency.claim({
      caller: keyOwner(exchange),
      operationId: route.definition.operationId,
      key,
      fingerprint: fingerprintOf({ method, target: url, scopes: exchange.account?.scopes ?? [] }, body),
    });
    if (claim.kind === 'replay') {
      const { response } = claim;
      return send(exchange, { ...response, headers: { ...response.headers, 'Idempotent-Replayed': 'true' } });
    }
    let response: Rendered;
    try {
      const reply = await this.#handle(exchange, route);
      if ('events' in reply || 'file' in reply) throw new RangeError('a stream cannot be kept');
      response = render(exchange, reply);
    } catch (error) {
      response = renderError(exchange, this.#judge(exchange, error), this.#options.publicUrl);
      if (!isKept(response.status)) {
        await claim.release();
        throw error;
      }
    }
    await claim.store(withLanguage(exchange, response));
    return send(exchange, response);
  }

  async #handle(exchange: Exchange, route: CompiledRoute): Promise<Reply<unknown>> {
    const { definition } = route;
    const reply = await this.#turns.run(exchange, route, () => definition.handle(exchange, this.#options.services));
    route.strict?.checkReply(reply);
    return reply;
  }

  async #fail(exchange: Exchange, error: unknown): Promise<void> {
    const { response } = exchange;
    if (error instanceof ConnectionLostError || exchange.isAbandoned) return;
    const answer = this.#judge(exchange, error);
    if (answer.status >= 500) this.#logFailure(exchange, answer);
    // cut off, so that the caller sees that it is incomplete, but after the data that was already written
    if (response.headersSent) response.socket?.destroySoon();
    else await send(exchange, renderError(exchange, answer, this.#options.publicUrl));
  }

  /** Error that the caller is shown: any error that is not an ApiError becomes INTERNAL_ERROR or UNAVAILABLE. */
  #judge(exchange: Exchange, error: unknown): ApiError {
    if (error instanceof ApiError) {
      const complaint = exchange.route?.strict?.complaintOf(error) ?? null;
      if (complaint === null) return error;
      const route = exchange.route as CompiledRoute;
      return undeclared(new UndeclaredReplyError(route.definition, complaint));
    }
    if (error instanceof UndeclaredReplyError) return undeclared(error);
    const isTemporary = isUnavailable(error) || exchange.isServerClosing;
    return new ApiError(isTemporary ? 'UNAVAILABLE' : 'INTERNAL_ERROR', { cause: error });
  }

  #logFailure(exchange: Exchange, { code, cause }: ApiError): void {
    const fields = { operation_id: exchange.route?.definition.operationId, code, err: cause };
    if (code === 'INTERNAL_ERROR') exchange.log.error(fields, 'request failed');
    else exchange.log.warn(fields, 'request refused temporarily');
  }

  #record(exchange: Exchange): void {
    const definition = exchange.route?.definition;
    const operationId = definition?.operationId ?? 'unmatched';
    const status = exchange.isAbandoned ? CALLER_LEFT : exchange.response.statusCode;
    const ms = exchange.tookMs;
    this.#options.metrics?.observe(operationId, status, ms / 1000);
    const level = definition?.auth.kind === 'none' ? 'debug' : 'info';
    if (!this.#options.log.isLevelEnabled(level)) return;
    const fields = {
      request_id: exchange.requestId,
      operation_id: operationId,
      method: exchange.request.method,
      status,
      ms: Math.round(ms * 100) / 100,
      address: exchange.address,
      credential_id: exchange.account?.credentialId,
    };
    this.#options.log[level](fields, 'request');
  }
}

function render(exchange: Exchange, reply: DataReply<unknown> | RawReply): Rendered {
  return 'data' in reply ? renderData(exchange, reply) : renderRaw(reply);
}

/** 405: the methods that the path has, for programs in a header, for people in the details. */
function methodRefused(allow: string): ApiError {
  const details = { method: [{ code: 'not_supported' as const, message: `must be one of ${allow}` }] };
  return new ApiError('NOT_FOUND', { status: 405, headers: { Allow: allow }, details });
}

/** Scope within which an Idempotency-Key is unique: separate for each user of an owner, and for live and test keys. */
function keyOwner(exchange: Exchange): string {
  const { account } = exchange;
  const caller = `${callerKey(exchange)} ${account?.user?.id ?? ''}`;
  return account?.owner.isTest === true ? `${caller} test` : caller;
}

/** Adds Content-Language unless the response has it: a replay keeps the language of the first response. */
function withLanguage(exchange: Exchange, response: Rendered): Rendered {
  if (!exchange.isLocalised) return response;
  return { ...response, headers: { 'Content-Language': exchange.locale, ...response.headers } };
}

/** Error for an undeclared reply. Only tests run with these checks, so the body may say what is wrong. */
function undeclared(error: UndeclaredReplyError): ApiError {
  const details = { reply: [{ code: 'unknown' as const, message: error.message }] };
  return new ApiError('INTERNAL_ERROR', { details, cause: error });
}
