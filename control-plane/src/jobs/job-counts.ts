import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { JobState } from './job-state.js';
import { countJobs } from './store.js';

/** Time for which a count is cached. */
const KEPT_MS = 5_000;

/** Counts jobs by state, at most every five seconds; null when the database does not answer. */
export class JobCounts {
  #counts: Promise<Record<JobState, number> | null> = Promise.resolve(null);
  #countedAtMs: number | null = null;

  constructor(
    private readonly db: Knex,
    private readonly clock: Clock,
  ) {}

  read(): Promise<Record<JobState, number> | null> {
    const nowMs = this.clock.monotonicMs();
    if (this.#countedAtMs === null || nowMs - this.#countedAtMs >= KEPT_MS) {
      this.#countedAtMs = nowMs;
      this.#counts = countJobs(this.db).catch(() => null);
    }
    return this.#counts;
  }
}
