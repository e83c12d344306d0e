import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0020-alert-requests';

/** Requests of messages as they were sent. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    ALTER TABLE alert_deliveries ADD COLUMN request jsonb;
    COMMENT ON COLUMN alert_deliveries.request IS 'request of the last attempt, secrets and links masked; null: none was sent, or it is a verification';
  `);
}
