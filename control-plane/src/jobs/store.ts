import type { Knex } from 'knex';
import type { JobState } from './job-state.js';

// The schema belongs to the queue's library: its view and its functions are used, its tables only where it has none.

/** A job as it stands in the queue, without what it carries. */
export interface JobRow {
  /** A decimal number. */
  readonly id: string;
  readonly type: string;
  readonly state: JobState;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly created_at: Date;
  readonly run_at: Date;
  readonly last_error: string | null;
}

/** All jobs as `JobRow`, for FROM clauses. */
export const selectJobs = `
  SELECT id::text, task_identifier AS type, attempts, max_attempts, created_at, run_at, last_error,
    CASE WHEN locked_at IS NOT NULL THEN 'running' WHEN attempts >= max_attempts THEN 'dead'
         WHEN run_at <= now() THEN 'ready' ELSE 'waiting' END AS state
  FROM vantage_jobs.jobs`;

/** Job to be queued. */
export interface NewJob {
  readonly type: string;
  readonly payload: unknown;
  readonly maxAttempts: number;
  readonly runAt?: Date;
  readonly key?: string;
}

/** Queues a job and, once the transaction is committed, wakes a worker. Answers its id. */
export async function insertJob(trx: Knex, { type, payload, maxAttempts, runAt, key }: NewJob): Promise<string> {
  const { rows } = await trx.raw<{ rows: [{ id: string }] }>(
    `SELECT id::text FROM vantage_jobs.add_job(identifier => ?::text, payload => ?::json, max_attempts => ?::int,
       run_at => ?::timestamptz, job_key => ?::text)`,
    [type, JSON.stringify(payload), maxAttempts, runAt ?? null, key ?? null],
  );
  return rows[0].id;
}

export async function countJobs(db: Knex): Promise<Record<JobState, number>> {
  const { rows } = await db.raw<{ rows: { state: JobState; jobs: number }[] }>(
    `SELECT state, count(*) AS jobs FROM (${selectJobs}) AS job GROUP BY state`,
  );
  const counts = new Map(rows.map(({ state, jobs }) => [state, jobs]));
  const count = (state: JobState) => counts.get(state) ?? 0;
  return { ready: count('ready'), running: count('running'), waiting: count('waiting'), dead: count('dead') };
}

/** Uses up the attempts of a job that `workerId` runs: when it fails now, it is dead. */
export async function useUpAttempts(db: Knex, id: string, workerId: string): Promise<void> {
  // the library has functions for this, but none for a job that is running
  await db.raw('UPDATE vantage_jobs._private_jobs SET attempts = max_attempts WHERE id = ?::bigint AND locked_by = ?', [
    id,
    workerId,
  ]);
}

/**
 * Takes every job away from a worker that will not end them: those of `succeeded` are done, all others may be taken by
 * any worker at once, and the attempt does not count. @returns the number of the others
 */
export async function releaseJobs(db: Knex, workerId: string, succeeded: readonly string[]): Promise<number> {
  return db.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: { id: string; attempts: number }[] }>(
      'SELECT id::text, attempts FROM vantage_jobs.jobs WHERE locked_by = ?',
      [workerId],
    );
    if (rows.length === 0) return 0;
    await trx.raw('SELECT vantage_jobs.force_unlock_workers(ARRAY[?])', [workerId]);
    const done = rows.filter(({ id }) => succeeded.includes(id));
    const left = rows.filter(({ id }) => !succeeded.includes(id));
    await trx.raw('SELECT id FROM vantage_jobs.complete_jobs(?::bigint[])', [done.map(({ id }) => id)]);
    for (const { id, attempts } of left) {
      await trx.raw('SELECT id FROM vantage_jobs.reschedule_jobs(ARRAY[?::bigint], run_at => now(), attempts => ?)', [
        id,
        Math.max(0, attempts - 1),
      ]);
    }
    await wakeWorkers(trx);
    return left.length;
  });
}

/**
 * Unlocks what replicas hold that are no more; what they had begun counts as an attempt. Nothing that was locked within
 * the last `seconds`: a replica may be given up by mistake. Answers how many jobs those are.
 */
export async function unlockAbandonedJobs(db: Knex, seconds: number): Promise<number> {
  const { rows } = await db.raw<{ rows: { locked_by: string }[] }>(
    `SELECT locked_by FROM vantage_jobs.jobs
     WHERE locked_at < now() - ? * interval '1 second' AND locked_by NOT IN (SELECT id FROM replicas)`,
    [seconds],
  );
  if (rows.length > 0) {
    await db.raw('SELECT vantage_jobs.force_unlock_workers(?)', [rows.map(({ locked_by }) => locked_by)]);
  }
  return rows.length;
}

/** Drops jobs that have been dead since before an instant. */
export async function deleteJobsDeadSince(db: Knex, before: Date): Promise<void> {
  await db.raw(
    `SELECT count(*) FROM vantage_jobs.complete_jobs(ARRAY(
       SELECT id FROM vantage_jobs.jobs WHERE attempts >= max_attempts AND locked_at IS NULL AND updated_at < ?
     ))`,
    [before],
  );
}

/** Wakes a worker when the transaction is committed: rescheduling alone wakes none. */
export async function wakeWorkers(trx: Knex): Promise<void> {
  await trx.raw(`SELECT pg_notify('jobs:insert', '{"count":1}')`);
}
