import { ProbeFailure } from '../probes/failure.js';

/** Greatest number of queries for one result, whatever the zones contain. */
const MAX_QUERIES = 32;

/** Remaining number of queries of a run; shared by all its resolutions. */
export class QueryBudget {
  #left = MAX_QUERIES;

  /** Number of queries taken so far. */
  get spentCount(): number {
    return MAX_QUERIES - this.#left;
  }

  /** True if no query is left. */
  get isSpent(): boolean {
    return this.#left === 0;
  }

  /** Takes one query. @throws ProbeFailure dns_error when none is left */
  spend(): void {
    if (this.#left === 0) throw new ProbeFailure('dns_error', `more than ${MAX_QUERIES} DNS queries`);
    this.#left -= 1;
  }
}
