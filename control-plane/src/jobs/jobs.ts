import { type Clock, delay } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from '../runtime/log.js';
import type { AnyJobType, JobServices } from './job.js';
import { JobRuns } from './job-runs.js';
import { releaseJobs, unlockAbandonedJobs } from './store.js';
import type { TakenJob, Worker } from './worker.js';

// The lock of a job is held by the worker of a live replica, under the id of the replica. It is released
//   - by the worker, with the outcome;
//   - by the replica itself, when it stops and has waited long enough, or when its worker gave up;
//   - by any other replica, when that one is no more.

/**
 * Time that running jobs get when a worker ends, in milliseconds: first to end by themselves, then after they were
 * aborted.
 */
const END_MS = { byThemselves: 5_000, reported: 2_000 };
const RELEASE_MS = 2_000;
const RESTART_MS = 1_000;
const SWEEP_MS = 15_000;
/** Age of a lock, in seconds, below which other replicas leave it alone. */
const ABANDONED_AFTER_SECONDS = 30;

interface JobsOptions {
  /** URL of the database that `db` is on; the worker has connections of its own. */
  readonly url: string;
  readonly db: Knex;
  readonly replicaId: string;
  readonly types: readonly AnyJobType[];
  readonly services: JobServices;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Runs the queue's jobs in this replica, for as long as it lives and whenever the database is there. */
export class Jobs {
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #cancelSweep: (() => void) | null = null;
  #sweeping: Promise<void> = Promise.resolve();
  /** Jobs whose success a worker could not write; null when there is nothing to give back. */
  #unwritten: readonly string[] | null = null;

  constructor(private readonly options: JobsOptions) {}

  /** Begins in the background: no other part waits for the queue. */
  start(): void {
    this.#running = this.#runWorkers();
    this.#scheduleSweep();
  }

  /** Lets running jobs end, within a bound; what has not ended then may be taken by another replica at once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancelSweep?.();
    await Promise.all([this.#running, this.#sweeping]);
  }

  /** One worker after the other: they only end when they can't reach the database. */
  async #runWorkers(): Promise<void> {
    const { clock, log } = this.options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#runWorker(signal).catch((error: unknown) => log.warn({ err: error }, 'cannot run jobs, retrying'));
      await delay(clock, RESTART_MS, signal).catch(() => {});
    }
  }

  async #runWorker(stopping: AbortSignal): Promise<void> {
    const { url, db, replicaId: workerId, types, services, log } = this.options;
    // imported here: the library takes 30 ms to load, and startup does not wait for it
    const { startWorker } = await import('./worker.js');
    await this.#giveBack();
    if (stopping.aborted) return;
    const runs = new JobRuns({ db, workerId, services, log });
    const tasks = new Map(types.map((type) => [type.name, (job: TakenJob) => runs.run(type, job)]));
    const worker = startWorker({ url, workerId, tasks, log });
    const stop = () => worker.stop();
    stopping.addEventListener('abort', stop);
    await worker.ending;
    stopping.removeEventListener('abort', stop);
    await this.#end(worker, runs);
  }

  async #end(worker: Worker, runs: JobRuns): Promise<void> {
    const { clock } = this.options;
    this.#unwritten = runs.succeeded;
    if (!(await settles(worker.ended, END_MS.byThemselves, clock))) {
      // before they are aborted: an error that they throw then must not count as a failure
      await settles(this.#giveBack(), RELEASE_MS, clock);
      runs.abort();
      await settles(worker.ended, END_MS.reported, clock);
    }
    await worker.close();
    // if the database is unavailable, the next worker does this before it begins, or another replica when this one has
    // ended
    await settles(this.#giveBack(), RELEASE_MS, clock);
  }

  async #giveBack(): Promise<void> {
    const { db, replicaId, log } = this.options;
    const unwritten = this.#unwritten;
    if (unwritten === null) return;
    // taken first: a call that was given up on may still be running when the next one begins
    this.#unwritten = null;
    const given = await releaseJobs(db, replicaId, unwritten).catch((error: unknown) => {
      this.#unwritten = unwritten;
      throw error;
    });
    if (given > 0) log.warn({ jobs: given }, 'unfinished jobs released');
  }

  #scheduleSweep(): void {
    if (this.#stopping.signal.aborted) return;
    this.#cancelSweep = this.options.clock.after(SWEEP_MS, () => {
      this.#sweeping = this.#sweep().finally(() => this.#scheduleSweep());
    });
  }

  async #sweep(): Promise<void> {
    const { db, log } = this.options;
    try {
      const jobs = await unlockAbandonedJobs(db, ABANDONED_AFTER_SECONDS);
      if (jobs > 0) log.warn({ jobs }, 'jobs of a dead replica released');
    } catch (error) {
      log.warn({ err: error }, 'cannot look for jobs of dead replicas, retrying');
    }
  }
}

/** Resolves with true if a promise settles within `ms` milliseconds. */
async function settles(promise: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  const timeout = new AbortController();
  const settled = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, delay(clock, ms, timeout.signal).then(() => false)]);
  } finally {
    timeout.abort();
  }
}
