import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0027-console-assets';

/** Files of the console, which replicas of other versions serve too. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    CREATE TABLE console_assets (
      path text COLLATE "C" PRIMARY KEY,
      body bytea NOT NULL,
      last_seen_at timestamptz NOT NULL
    );
    COMMENT ON TABLE console_assets IS 'files of the console of every version that replicas served in the last days';
    COMMENT ON COLUMN console_assets.last_seen_at IS 'a replica that serves the file was alive';
  `);
}
