import { ProbeFailure } from '../probes/failure.js';

/** Queries that one result may cost, whoever writes the zones. */
const MAX_QUERIES = 32;

/** What is left of the questions a run may ask; shared by all its resolutions. */
export class QueryBudget {
  #left = MAX_QUERIES;

  /** Whether nothing is left. */
  get isSpent(): boolean {
    return this.#left === 0;
  }

  /** Takes one. @throws ProbeFailure dns_error when there is nothing left */
  spend(): void {
    if (this.#left === 0) throw new ProbeFailure('dns_error', `more than ${MAX_QUERIES} DNS questions`);
    this.#left -= 1;
  }
}
