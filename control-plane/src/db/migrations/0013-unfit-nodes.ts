import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0013-unfit-nodes';

/** Nodes that a probe selected and that could not run it. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    ALTER TABLE probe_tasks ADD COLUMN unfit_nodes json;
    COMMENT ON COLUMN probe_tasks.unfit_nodes IS 'nodes that match the selection and lack what the probe needs; null: none, or an older version';
  `);
}
