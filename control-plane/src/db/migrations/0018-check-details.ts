import type { Knex } from 'knex';

// What checks measured: of those that were not well, of the first good one after them, and of those that somebody asked for. Beside
// monitor_checks, whose rows are small because there are so many.

/** Name in the table of applied migrations. */
export const name = '0018-check-details';

/** Details of checks. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    CREATE TABLE check_details (
      at timestamptz NOT NULL,
      monitor_key integer NOT NULL,
      node_key integer NOT NULL,
      details json NOT NULL,
      PRIMARY KEY (monitor_key, at, node_key)
    ) PARTITION BY RANGE (at);
    COMMENT ON COLUMN check_details.at IS 'of its check: when that was due';
  `);
}
