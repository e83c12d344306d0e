import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Static } from 'typebox';
import { type AuditAction } from '../../audit-log/actions.js';
import type { Actor } from '../../audit-log/actor.js';
import { insertAuditEntry } from '../../audit-log/store.js';
import { ApiError } from '../../http/errors.js';
import type { Page } from '../../http/pagination.js';
import { deleteJobsDeadSince, type JobRow } from '../../jobs/store.js';
import type { JobSchema } from './schema.js';
import { deleteDeadJob, findJob, type JobFilter, listJobs, retryJob } from './store.js';

/** Time for which dead jobs are kept, so that an administrator can look at them. */
const DEAD_KEPT_MS = 30 * 24 * 3_600_000;

/** Operations of administrators on the queue of jobs. */
export class QueuedJobs {
  constructor(
    private readonly db: Knex,
    private readonly clock: Clock,
  ) {}

  /** Lists one page of jobs, newest first. */
  list(filter: JobFilter, page: Page): Promise<{ jobs: JobRow[]; total: number }> {
    return listJobs(this.db, filter, page);
  }

  /**
   * Runs a job at once, with all its attempts restored. Resolves with the updated job.
   * @throws ApiError NOT_FOUND, CONFLICT when it is running
   */
  retry(id: string, actor: Actor): Promise<JobRow> {
    return this.#act({ id, actor, action: 'job.retried' }, async (trx) => {
      if (!(await retryJob(trx, id))) throw conflict('is running');
      return getJob(trx, id);
    });
  }

  /** Deletes a dead job. @throws ApiError NOT_FOUND, CONFLICT when it is not dead */
  delete(id: string, actor: Actor): Promise<void> {
    return this.#act({ id, actor, action: 'job.deleted' }, async (trx) => {
      if (!(await deleteDeadJob(trx, id))) throw conflict('is not dead');
    });
  }

  /** Deletes jobs that have been dead for 30 days. */
  deleteOutdated(): Promise<void> {
    return deleteJobsDeadSince(this.db, new Date(this.clock.now() - DEAD_KEPT_MS));
  }

  #act<T>(act: Act, change: (trx: Knex) => Promise<T>): Promise<T> {
    const { id, actor, action } = act;
    return this.db.transaction(async (trx) => {
      const { type } = await getJob(trx, id);
      const result = await change(trx);
      await insertAuditEntry(trx, { action, actor, accountId: null, subject: id, details: { type } });
      return result;
    });
  }
}

interface Act {
  readonly id: string;
  readonly actor: Actor;
  readonly action: AuditAction;
}

/** @throws ApiError NOT_FOUND */
async function getJob(db: Knex, id: string): Promise<JobRow> {
  const job = await findJob(db, id);
  if (job === null) throw new ApiError('NOT_FOUND');
  return job;
}

function conflict(message: string): ApiError {
  return new ApiError('CONFLICT', { details: { id: [{ code: 'conflict', message }] } });
}

/** A job as the API shows it. */
export function jobView(job: JobRow): Static<typeof JobSchema> {
  const { id, type, state, attempts, max_attempts, last_error } = job;
  const times = { created_at: job.created_at.toISOString(), run_at: job.run_at.toISOString() };
  return { id, type, state, attempts, max_attempts, ...times, last_error };
}

declare module '../../http/route.js' {
  interface Services {
    readonly jobs: QueuedJobs;
  }
}
