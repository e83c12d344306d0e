import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0012-openings';

/** Which process of its node a task may have been given to, told by numbers: clocks of replicas differ. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    ALTER TABLE nodes ADD COLUMN opening bigint NOT NULL DEFAULT 0, ADD COLUMN boot_opening bigint NOT NULL DEFAULT 0;
    ALTER TABLE probe_node_tasks ADD COLUMN opening bigint;
    COMMENT ON COLUMN nodes.opening IS 'how often a link of it was opened';
    COMMENT ON COLUMN nodes.boot_opening IS 'which of them was the first of the process boot_id';
    COMMENT ON COLUMN nodes.boot_seen_at IS 'unused since boot_opening, but by the version before that';
    COMMENT ON COLUMN probe_node_tasks.opening IS 'the newest link of its node when it was stored; null: stored by a version that did not note it';
  `);
}
