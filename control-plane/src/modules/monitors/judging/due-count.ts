import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { countDue } from './state-store.js';

/** How long a count serves everybody who asks. */
const KEPT_MS = 5_000;

/** Counts what waits to be judged, at most every five seconds; null when the database does not answer. */
export class DueCount {
  #count: Promise<number | null> = Promise.resolve(null);
  #countedAtMs: number | null = null;

  constructor(
    private readonly db: Knex,
    private readonly clock: Clock,
  ) {}

  read(): Promise<number | null> {
    const nowMs = this.clock.monotonicMs();
    if (this.#countedAtMs === null || nowMs - this.#countedAtMs >= KEPT_MS) {
      this.#countedAtMs = nowMs;
      this.#count = countDue(this.db).catch(() => null);
    }
    return this.#count;
  }
}
