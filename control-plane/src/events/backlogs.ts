import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { type ConsumerBacklog, countBacklogs } from './store.js';

/** Time for which a count is cached. */
const KEPT_MS = 5_000;

/** Counts what waits for consumers, at most every five seconds; null when the database does not answer. */
export class Backlogs {
  #counts: Promise<readonly ConsumerBacklog[] | null> = Promise.resolve(null);
  #countedAtMs: number | null = null;

  constructor(
    private readonly options: { readonly db: Knex; readonly consumers: readonly string[]; readonly clock: Clock },
  ) {}

  read(): Promise<readonly ConsumerBacklog[] | null> {
    const { db, consumers, clock } = this.options;
    const nowMs = clock.monotonicMs();
    if (this.#countedAtMs === null || nowMs - this.#countedAtMs >= KEPT_MS) {
      this.#countedAtMs = nowMs;
      this.#counts = countBacklogs(db, consumers).catch(() => null);
    }
    return this.#counts;
  }
}
