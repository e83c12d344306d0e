import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { Batcher } from '../db/batcher.js';
import { takeFromWindows } from './store.js';
import type { Ask, Taken } from './tally.js';
import type { UnitSource } from './turnstile.js';

// Circuit breaker of the store:
//
//   open ──fails, or is slow──► closed ──1 s──► trying: one ask ──answered──► open
//                                 ▲                    │
//                                 └──────fails─────────┘

const MAX_ASKS_PER_STATEMENT = 64;
const ANSWER_WITHIN_MS = 250;
const RETRY_AFTER_MS = 1_000;
const LOG_EVERY_MS = 60_000;

interface SharedWindowsOptions {
  readonly db: Knex;
  /** True if other replicas take from the same windows. */
  readonly hasOthers: () => boolean;
  /** Time that the store may take for a reply; a request is counted by its replica alone afterwards. Default: 250 ms. */
  readonly answerWithinMs?: number | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: { countLimiterFallback(): void };
}

/** Windows that all replicas count in together, as long as their store replies in time. */
export class SharedWindows implements UnitSource {
  readonly #options: SharedWindowsOptions;
  readonly #batcher: Batcher<Ask, Taken>;
  #state: 'open' | 'closed' | 'trying' = 'open';
  /** Monotonic. */
  #closedMs = 0;
  #loggedMs: number | null = null;

  constructor(options: SharedWindowsOptions) {
    this.#options = options;
    this.#batcher = new Batcher({
      maxItems: MAX_ASKS_PER_STATEMENT,
      clock: options.clock,
      flush: (asks) => this.#flush(asks),
    });
  }

  isOurs(): boolean {
    return !this.#options.hasOthers();
  }

  async take(ask: Ask): Promise<Taken | null> {
    const taken = this.#mayAsk() ? await this.#batcher.add(ask).catch(() => null) : null;
    if (taken === null) this.#options.metrics.countLimiterFallback();
    return taken;
  }

  /** Resolves when nothing is being asked any more. */
  async drain(): Promise<void> {
    await this.#batcher.drain();
  }

  #mayAsk(): boolean {
    if (this.#state === 'open') return true;
    if (this.#state === 'trying' || this.#options.clock.monotonicMs() - this.#closedMs < RETRY_AFTER_MS) return false;
    this.#state = 'trying';
    return true;
  }

  /** Failures are noted here, before the batch behind is begun: what waits behind one does not wait for another. */
  async #flush(asks: readonly Ask[]): Promise<Taken[]> {
    if (this.#state === 'closed') throw new StoreClosedError();
    const { clock, answerWithinMs = ANSWER_WITHIN_MS } = this.#options;
    const deadline = new AbortController();
    const cancel = clock.after(answerWithinMs, () => deadline.abort(new StoreSlowError(answerWithinMs)));
    try {
      const taken = await this.#takeAll(asks, deadline.signal);
      this.#state = 'open';
      return taken;
    } catch (error) {
      this.#close(error);
      throw error;
    } finally {
      cancel();
    }
  }

  /** One statement, but for asks of one key: the second of them sees what the first has left. */
  async #takeAll(asks: readonly Ask[], signal: AbortSignal): Promise<Taken[]> {
    const taken = new Map<Ask, Taken>();
    let rest = asks;
    while (rest.length > 0) {
      const firsts = new Map(rest.toReversed().map((ask) => [ask.key, ask]));
      const round = rest.filter((ask) => firsts.get(ask.key) === ask);
      const answers = await takeFromWindows(this.#options.db, round, signal);
      for (const [index, ask] of round.entries()) taken.set(ask, answers[index] as Taken);
      rest = rest.filter((ask) => !taken.has(ask));
    }
    return asks.map((ask) => taken.get(ask) as Taken);
  }

  #close(error: unknown): void {
    const { clock, log } = this.#options;
    const now = clock.monotonicMs();
    this.#state = 'closed';
    this.#closedMs = now;
    if (this.#loggedMs !== null && now - this.#loggedMs < LOG_EVERY_MS) return;
    this.#loggedMs = now;
    log.warn({ err: error }, 'cannot reach the store of limits, counting on this replica only');
  }
}

/** The store of limits is not asked for a time. */
class StoreClosedError extends Error {
  override readonly name = 'StoreClosedError';
  constructor() {
    super('the store of limits is suspended');
  }
}

/** The store took longer than a request may be held up for counting it. */
class StoreSlowError extends Error {
  override readonly name = 'StoreSlowError';
  constructor(withinMs: number) {
    super(`the store of limits did not respond within ${withinMs} ms`);
  }
}
