import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0012-replica-ranges';

/** Ranges that a replica opens to probes. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    ALTER TABLE replicas ADD COLUMN allow_targets text[];
    COMMENT ON COLUMN replicas.allow_targets IS 'ranges of VANTAGE_ALLOW_TARGETS, which commands judge targets by; null: an older version';
  `);
}
