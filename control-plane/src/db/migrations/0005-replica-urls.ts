import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0005-replica-urls';

/** Where agents reach each replica, and whether it is about to go. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    ALTER TABLE replicas ADD COLUMN url text, ADD COLUMN is_draining boolean NOT NULL DEFAULT false;
    COMMENT ON COLUMN replicas.url IS 'origin at which agents reach this very replica; null: only the public one';
    COMMENT ON COLUMN replicas.is_draining IS 'sends its agents elsewhere, so nobody sends it any';
  `);
}
