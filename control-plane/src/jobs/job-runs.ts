import type { Knex } from 'knex';
import type { Logger } from '../runtime/log.js';
import { type AnyJobType, type JobServices, PermanentFailure } from './job.js';
import { useUpAttempts } from './store.js';
import type { TakenJob } from './worker.js';

/** Outcomes are written a moment after a job has ended; with this many behind it, that moment is over. */
const REMEMBERED = 100;

interface JobRunsOptions {
  readonly db: Knex;
  /** Under which jobs are locked. */
  readonly workerId: string;
  readonly services: JobServices;
  readonly log: Logger;
}

/** The runs of one worker: gives jobs what they need, and judges how they end. */
export class JobRuns {
  readonly #abort = new AbortController();
  readonly #succeeded: string[] = [];

  constructor(private readonly options: JobRunsOptions) {}

  /** Ids of the last jobs that did their work, whether or not that is written already. */
  get succeeded(): readonly string[] {
    return this.#succeeded;
  }

  /** Aborts every running job; another replica runs it again. */
  abort(): void {
    this.#abort.abort(new Error('this replica stops'));
  }

  /** Runs a job once. @throws Error when it failed; a job whose failure is for good will not be taken again */
  async run(type: AnyJobType, job: TakenJob): Promise<void> {
    const { signal } = this.#abort;
    const log = this.options.log.child({ jobId: job.id, type: type.name });
    try {
      const context = { ...this.options.services, jobId: job.id, attempt: job.attempts, signal, log };
      await type.run(type.parse(job.payload), context);
    } catch (error) {
      if (!signal.aborted) await this.#judge(error, job, log);
      throw error;
    }
    this.#succeeded.push(job.id);
    if (this.#succeeded.length > REMEMBERED) this.#succeeded.shift();
    log.debug({ attempt: job.attempts }, 'job done');
  }

  async #judge(error: unknown, { id, attempts, maxAttempts }: TakenJob, log: Logger): Promise<void> {
    const isForGood = error instanceof PermanentFailure;
    if (isForGood) await useUpAttempts(this.options.db, id, this.options.workerId);
    const fields = { err: error, attempt: attempts, maxAttempts };
    if (isForGood || attempts >= maxAttempts) log.warn(fields, 'job is dead');
    else log.info(fields, 'job failed, retrying');
  }
}
