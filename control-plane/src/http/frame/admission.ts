import type { Plans } from '../../plans/index.js';
import { type Authenticator, authenticate, authorise, checkFeature } from '../access.js';
import type { Allowance } from '../allowance.js';
import { ApiError, limitReached } from '../errors.js';
import { accountHint, limitOf, type RateLimiter, refusalLimit } from '../rate-limit.js';
import type { Account, RouteLimit } from '../route.js';
import type { CompiledRoute } from './compiled-route.js';
import type { Exchange } from './exchange.js';

export interface AdmissionOptions {
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  readonly plans: Plans;
}

/** Admits or refuses requests: 401, then 403, then 429 (see app.ts for the steps before and after). */
export class Admission {
  constructor(private readonly options: AdmissionOptions) {}

  /** Fills in the account and the allowance of the exchange. @throws ApiError */
  async admit(exchange: Exchange, route: CompiledRoute, search: string): Promise<void> {
    const { auth } = route.definition;
    if (auth.kind !== 'none') exchange.account = await this.#identify(exchange, auth.kind === 'public');
    const counted = await this.#count(exchange, route, search);
    // a caller without permission gets that error even if its limit is reached, but the request counts, like every
    // request of an account
    if (exchange.account !== null) authorise(exchange.account, route.definition, exchange.header('origin'));
    checkFeature(route.definition, exchange.account?.plan ?? 'anonymous', this.options.plans);
    const { allowance } = exchange;
    if (allowance !== null && !allowance.isAllowed) throw this.#tooMany(exchange, allowance, counted);
  }

  /** Refusal of a request; where the plan gives the limit, with the number that an account would have. */
  #tooMany(exchange: Exchange, allowance: Allowance, counted: RouteLimit): ApiError {
    const hint = counted === 'standard' ? accountHint('requests_per_minute', exchange, this.options.plans) : null;
    if (hint === null) return limitReached('RATE_LIMIT_EXCEEDED', allowance);
    const message = `at most ${allowance.limit} in a minute; ${hint}`;
    return limitReached('RATE_LIMIT_EXCEEDED', allowance, { requests: [{ code: 'refused', message }] });
  }

  async #identify(exchange: Exchange, isOptional: boolean): Promise<Account | null> {
    const { authorization } = exchange.request.headers;
    if (authorization === undefined && isOptional) return null;
    const { limiter, authenticator } = this.options;
    const limit = refusalLimit(exchange.address);
    // a caller that guesses too often gets no further results until the window ends
    if (limiter.isExhausted(limit)) throw limitReached('RATE_LIMIT_EXCEEDED', await limiter.consume(limit));
    try {
      return await authenticate(authorization, authenticator);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      exchange.allowance = await limiter.consume(limit);
      if (!exchange.allowance.isAllowed) throw limitReached('RATE_LIMIT_EXCEEDED', exchange.allowance);
      throw error;
    }
  }

  async #count(exchange: Exchange, { routeLimit }: CompiledRoute, search: string): Promise<RouteLimit> {
    const counted = typeof routeLimit === 'function' ? routeLimit(search) : routeLimit;
    const limit = limitOf(counted, exchange, this.options.plans);
    if (limit !== null) exchange.allowance = await this.options.limiter.consume(limit);
    return counted;
  }
}
