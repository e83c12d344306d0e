import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0014-recipient-stops';

/** Monitors about which a recipient of a channel wants no messages. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    ALTER TABLE alert_recipients ADD COLUMN stopped_monitors text[] NOT NULL DEFAULT '{}';
    COMMENT ON COLUMN alert_recipients.stopped_monitors IS 'ids of monitors whose messages the recipient has stopped by the link of a mail';
  `);
}
