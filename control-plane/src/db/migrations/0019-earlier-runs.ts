import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0019-earlier-runs';

/** Runs of jobs that have not ended when another one starts. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    ALTER TABLE heartbeats ADD COLUMN earlier_runs jsonb;
    COMMENT ON COLUMN heartbeats.earlier_runs IS 'runs that began before started_at and have not ended, the oldest first: at, rid; null: none';
  `);
}
