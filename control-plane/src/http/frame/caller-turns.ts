import type { Clock } from '@vantage/shared/clock.js';
import { addressKey } from '../../limits/caller-networks.js';
import { ApiError } from '../errors.js';
import { callerKey } from '../rate-limit.js';
import { Turns } from '../turns.js';
import type { CompiledRoute } from './compiled-route.js';
import type { Exchange } from './exchange.js';

// A replica has 12 connections for requests (wiring/foundation.ts). A caller with many requests at once waits for its
// own turns, and leaves connections to others:
//
//   changes            2 at once: those of one account mostly wait for the same rows anyway
//   reading            4 at once, and more while fewer than 8 requests of all callers run: with 4 turns of one caller,
//                      this process and the database wait for each other, and waking one costs more than a small read
//   check-ins, pages   6 at once from one address: they have no other limit, and their clients are programs of many jobs
//   waiting requests   no turn: they hold no connection while they wait, and have a limit of their own

const CHANGES_AT_ONCE = 2;
const READS_AT_ONCE = 4;
/** A third of the connections is left to the next caller, unless reads take two: a page of monitors counts its list meanwhile. */
const MORE_READS_BELOW = 8;
const OPEN_AT_ONCE = 6;
const MAX_WAITING = 500;
/** Longest wait of a request, as long as it waits for a connection. */
const PATIENCE_MS = 5_000;

/** Limits the requests of one caller that run at once; a caller is an account, or an address without credentials. */
export class CallerTurns {
  readonly #changes: Turns;
  readonly #reads: Turns;
  /** Turns of operations that read no credentials and declare no 429. */
  readonly #open: Turns;

  /** `patienceMs`: longest wait of a request; default: 5 000. */
  constructor(clock: Clock, patienceMs = PATIENCE_MS) {
    const bounds = { maxWaiting: MAX_WAITING, patienceMs, clock, running: { count: 0 } };
    this.#changes = new Turns({ ...bounds, atOnce: CHANGES_AT_ONCE });
    this.#reads = new Turns({ ...bounds, atOnce: READS_AT_ONCE, moreBelow: MORE_READS_BELOW });
    const refusal = () => new ApiError('UNAVAILABLE', { retryAfterSeconds: 1 });
    this.#open = new Turns({ ...bounds, atOnce: OPEN_AT_ONCE, refusal });
  }

  /** Handles a request when its caller's turn has come. @throws ApiError RATE_LIMIT_EXCEEDED, UNAVAILABLE */
  run<T>(exchange: Exchange, { definition, routeLimit }: CompiledRoute, handle: () => Promise<T>): Promise<T> {
    const { auth, method, queuesItself } = definition;
    // a limit by the query marks waiting requests
    const mayWait = routeLimit === 'poll' || typeof routeLimit === 'function';
    if (mayWait || queuesItself === true) return handle();
    if (auth.kind === 'none') return this.#open.run(addressKey(exchange.address), handle);
    return (method === 'GET' ? this.#reads : this.#changes).run(callerKey(exchange), handle);
  }
}
