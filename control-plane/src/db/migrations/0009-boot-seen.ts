import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0009-boot-seen';

/** Since when a node's agent process has been known: work that is older was another process's. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    ALTER TABLE nodes ADD COLUMN boot_seen_at timestamptz;
    COMMENT ON COLUMN nodes.boot_seen_at IS 'first hello with this boot_id; null: before this was known';
  `);
}
