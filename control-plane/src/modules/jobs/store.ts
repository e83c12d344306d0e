import type { Knex } from 'knex';
import { queryPage } from '../../db/named.js';
import type { Page } from '../../http/pagination.js';
import type { JobState } from '../../jobs/job-state.js';
import { type JobRow, selectJobs, wakeWorkers } from '../../jobs/store.js';

/** Filter for a list of jobs; undefined matches any. */
export interface JobFilter {
  readonly state?: JobState | undefined;
  readonly type?: string | undefined;
}

const LIST = {
  name: 'jobs-list',
  columns: 'id, type, attempts, max_attempts, created_at, run_at, last_error, state',
  from: `(${selectJobs}) AS job`,
  where: '(:state::text IS NULL OR state = :state) AND (:type::text IS NULL OR type = :type)',
  orderBy: 'id::bigint DESC',
};

/** Lists one page of jobs, newest first, with their total number. */
export async function listJobs(
  db: Knex,
  { state, type }: JobFilter,
  page: Page,
): Promise<{ jobs: JobRow[]; total: number }> {
  const { rows: jobs, total } = await queryPage<JobRow>(db, LIST, {
    state: state ?? null,
    type: type ?? null,
    ...page,
  });
  return { jobs, total };
}

/** Finds a job by its id, a decimal number; null if there is no such job. */
export async function findJob(db: Knex, id: string): Promise<JobRow | null> {
  const { rows } = await db.raw<{ rows: JobRow[] }>(`SELECT * FROM (${selectJobs}) AS job WHERE id = ?`, [id]);
  return rows[0] ?? null;
}

/** Runs a job at once, with all its attempts restored; false if it is running. */
export async function retryJob(trx: Knex, id: string): Promise<boolean> {
  const { rows } = await trx.raw(
    'SELECT id FROM vantage_jobs.reschedule_jobs(ARRAY[?::bigint], run_at => now(), attempts => 0)',
    [id],
  );
  await wakeWorkers(trx);
  return rows.length > 0;
}

/** Deletes a dead job; false if it is not dead. */
export async function deleteDeadJob(trx: Knex, id: string): Promise<boolean> {
  const { rows } = await trx.raw(
    `SELECT id FROM vantage_jobs.complete_jobs(ARRAY(
       SELECT id::bigint FROM (${selectJobs}) AS job WHERE id = ? AND state = 'dead'
     ))`,
    [id],
  );
  return rows.length > 0;
}
