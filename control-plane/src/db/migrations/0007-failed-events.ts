import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0007-failed-events';

/** Operators see why an event was set aside. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    ALTER TABLE outbox_marks ADD COLUMN last_error text;
    COMMENT ON COLUMN outbox_marks.last_error IS 'why the newest attempt failed; null: none failed';
    COMMENT ON COLUMN outbox_marks.attempts IS 'attempts that failed, and those that were begun and never ended';
  `);
}
