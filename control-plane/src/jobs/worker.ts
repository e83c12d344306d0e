import { EventEmitter } from 'node:events';
import {
  Logger as LibraryLogger,
  runTaskList,
  type Task,
  type WorkerEvents,
  type WorkerPoolOptions,
} from 'graphile-worker';
import { jobQueueSchema } from '../db/job-queue-schema.js';
import { openPlainPool } from '../db/plain-pool.js';
import type { Logger } from '../runtime/log.js';

// The library writes the outcome of a job after the job has ended. If it cannot, the worker ends, and its owner starts
// another one.

/** Jobs at once in this replica. */
const CONCURRENCY = 3;
/** One connection listens, one is for all else: a job that runs holds none. */
const POOL_SIZE = 2;
/** Poll interval in milliseconds: no notification comes when the time of a retry or of a job for later has come. */
const POLL_MS = 2_000;

/** A job that was taken from the queue. */
export interface TakenJob {
  readonly id: string;
  readonly payload: unknown;
  /** This run included. */
  readonly attempts: number;
  readonly maxAttempts: number;
}

interface WorkerOptions {
  readonly url: string;
  /** Name under which it locks jobs. */
  readonly workerId: string;
  /** By type of job. A rejection puts the job back, to wait for its next attempt. */
  readonly tasks: ReadonlyMap<string, (job: TakenJob) => Promise<void>>;
  readonly log: Logger;
}

/** Takes jobs from the queue and runs them, until it is stopped or gives up. */
export interface Worker {
  /** Resolves when it takes no more jobs, whether stopped or failed. */
  readonly ending: Promise<void>;
  /** Resolves when every job has ended and its outcome is written, or is known not to be. */
  readonly ended: Promise<void>;
  /** Takes no more jobs. May be called twice. */
  stop(): void;
  /** Ends the connections; jobs that still run are abandoned, and their locks stay. */
  close(): Promise<void>;
}

/** Begins at once; connects by itself, now and whenever the database was away. */
export function startWorker({ url, workerId, tasks, log }: WorkerOptions): Worker {
  const pool = openPlainPool({ url, poolSize: POOL_SIZE, applicationName: 'vantage-control jobs' });
  const events: WorkerEvents = new EventEmitter();
  const ending = new Promise<void>((resolve) => events.once('pool:gracefulShutdown', () => resolve()));
  let isEnding = false;
  let isClosed = false;
  events.once('pool:gracefulShutdown', () => {
    isEnding = true;
  });
  // a known name: others can identify the locks of this replica after it has died
  events.once('pool:create', ({ workerPool }) => {
    workerPool.id = workerId;
  });
  const entries = [...tasks].map(([type, run]) => [type, taskOf(run, () => isClosed)] as const);
  const library = runTaskList({ ...settings, events, logger: loggerTo(log) }, Object.fromEntries(entries), pool);
  const stop = () => {
    if (!isEnding) Promise.resolve(library.gracefulShutdown('stopping')).catch(() => {});
  };
  afterFailedStart(events, stop);
  return {
    ending,
    ended: library.promise.catch((error: unknown) => log.warn({ err: error }, 'job worker ended, restarting')),
    stop,
    async close() {
      isClosed = true;
      await pool.end();
    },
  };
}

const settings: WorkerPoolOptions = {
  schema: jobQueueSchema,
  concurrency: CONCURRENCY,
  pollInterval: POLL_MS,
  noHandleSignals: true,
  // without batches the library leaves a rejected promise behind if it cannot write an outcome
  preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
};

/** A failure of the very first look for jobs is remembered by the library, which then never finds any. */
function afterFailedStart(events: WorkerEvents, stop: () => void): void {
  let hasLooked = false;
  const noteLook = () => {
    hasLooked = true;
  };
  events.once('worker:getJob:empty', noteLook);
  events.once('job:start', noteLook);
  events.on('worker:getJob:error', () => {
    // not immediately: if a query fails during the stop, the library prints its stack
    if (!hasLooked) setImmediate(stop);
  });
}

function taskOf(run: (job: TakenJob) => Promise<void>, isClosed: () => boolean): Task {
  return async (payload, { job }) => {
    try {
      await run({ id: job.id, payload, attempts: job.attempts, maxAttempts: job.max_attempts });
    } finally {
      // the library has no connection left to write the outcome, and may throw because of that
      if (isClosed()) await new Promise(() => {});
    }
  };
}

/**
 * Logger for the library. Outcomes of jobs are left out: they are logged where jobs run, and the library's lines
 * contain payloads.
 */
function loggerTo(log: Logger): LibraryLogger {
  return new LibraryLogger(() => (level, message, about) => {
    if (about?.['failure'] === true || about?.['success'] === true) return;
    if (level === 'error' || level === 'warning') log.warn({ library: message }, 'job worker reported a problem');
    else log.trace({ library: message }, 'job worker');
  });
}
