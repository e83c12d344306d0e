import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0024-shared-tasks';

/** Tasks of accounts that everyone who has their id may read. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    ALTER TABLE probe_tasks
      ADD COLUMN shared boolean NOT NULL DEFAULT false,
      ADD COLUMN shared_body boolean NOT NULL DEFAULT false;
    COMMENT ON COLUMN probe_tasks.shared IS 'true: everyone who has the id may read it; a task without an owner is open in any case';
    COMMENT ON COLUMN probe_tasks.shared_body IS 'true: readers of a shared task also get the response body';
  `);
}
