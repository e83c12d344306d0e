import type { Plans } from '../plans.js';
import { type Authenticator, authenticate, authorise } from './access.js';
import type { CompiledRoute } from './compiled-route.js';
import { ApiError, limitReached } from './errors.js';
import type { Exchange } from './exchange.js';
import { limitOf, type RateLimiter, refusalLimit } from './rate-limit.js';
import type { Account } from './route.js';

export interface AdmissionOptions {
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  readonly plans: Plans;
}

/** Lets requests in, or not: 401, then 403, then 429 (see app.ts for what comes before and after). */
export class Admission {
  constructor(private readonly options: AdmissionOptions) {}

  /** Fills in the account and the allowance of the exchange. @throws ApiError */
  async admit(exchange: Exchange, route: CompiledRoute, search: string): Promise<void> {
    const { auth } = route.definition;
    if (auth.kind !== 'none') exchange.account = await this.#identify(exchange, auth.kind === 'public');
    await this.#count(exchange, route, search);
    // who may not do it is told so even when nothing is left, but it counts, as everything an account asks
    if (exchange.account !== null) authorise(exchange.account, route.definition, exchange.header('origin'));
    const { allowance } = exchange;
    if (allowance !== null && !allowance.isAllowed) throw limitReached('RATE_LIMIT_EXCEEDED', allowance);
  }

  async #identify(exchange: Exchange, isOptional: boolean): Promise<Account | null> {
    const { authorization } = exchange.request.headers;
    if (authorization === undefined && isOptional) return null;
    const { limiter, authenticator } = this.options;
    const limit = refusalLimit(exchange.address);
    // who guesses too often learns nothing more until the window ends
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

  async #count(exchange: Exchange, { limitName }: CompiledRoute, search: string): Promise<void> {
    const name = typeof limitName === 'string' ? limitName : limitName(search);
    const limit = name === 'none' ? null : limitOf(name, exchange, this.options.plans);
    if (limit !== null) exchange.allowance = await this.options.limiter.consume(limit);
  }
}
