import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0004-node-self-test';

/** What a node last found when it checked itself. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    ALTER TABLE nodes ADD COLUMN self_test jsonb;
    COMMENT ON COLUMN nodes.self_test IS 'newest report of the node: {finished_at, checks: [{name, status, detail}]}; null before the first';
  `);
}
