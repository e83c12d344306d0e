import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0022-badges';

/** Older programs store an id for the badge of each heartbeat. */
export const requires = '0022-badges';

/** The id of a badge follows from that of its monitor, of any type. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    -- allowed: unused since 0.1.0
    ALTER TABLE heartbeats DROP COLUMN public_id`);
}
