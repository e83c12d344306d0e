import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0023-log-pings';

/** Older programs take every ping that is no failure for a success. */
export const requires = '0023-log-pings';

/** Pings may be for the log alone. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw('ALTER TABLE heartbeat_pings DROP CONSTRAINT heartbeat_pings_kind_check');
}
