import type { Knex } from 'knex';
import type { Static } from 'typebox';
import type { ListedJobType } from './job.js';
import { insertJob } from './store.js';

/** Options for queuing a job. */
export interface EnqueueOptions {
  /** Earliest start; default: at once. */
  readonly runAt?: Date;
  /** Key that at most one waiting job has: a second job replaces the first. 1..512 characters. */
  readonly key?: string;
}

/**
 * Queues a job in the transaction `trx`, with which it also vanishes; a replica takes it as soon as that is committed.
 * Answers its id. @throws JobPayloadError
 */
export function enqueue<T extends ListedJobType>(
  trx: Knex,
  type: T,
  payload: Static<T['payload']>,
  options: EnqueueOptions = {},
): Promise<string> {
  return insertJob(trx, { type: type.name, payload: type.parse(payload), maxAttempts: type.maxAttempts, ...options });
}
