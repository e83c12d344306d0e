import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0010-version-refused';

/** Agents that speak no protocol version of their control plane are seen on their nodes. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    ALTER TABLE nodes ADD COLUMN version_refused jsonb;
    COMMENT ON COLUMN nodes.version_refused IS
      '{asked, agent_version, at} of the last hello without a common protocol version, which nobody has proved; null since the last link';
  `);
}
