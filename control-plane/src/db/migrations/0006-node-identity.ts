import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0006-node-identity';

/** Keys that nodes had before, and what owners and admins ask of nodes. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    ALTER TABLE nodes
      ADD COLUMN key_changed_at timestamptz,
      ADD COLUMN rotation_nonce bytea,
      ADD COLUMN rotation_requested_at timestamptz,
      ADD COLUMN upgrade_version text,
      ADD COLUMN upgrade_state text CHECK (upgrade_state IN ('requested', 'running', 'done', 'failed')),
      ADD COLUMN upgrade_error text,
      ADD COLUMN upgrade_requested_at timestamptz,
      ADD COLUMN deleted_at timestamptz;
    COMMENT ON COLUMN nodes.rotation_nonce IS 'of a key rotation that was asked for and has not been answered';
    COMMENT ON COLUMN nodes.upgrade_error IS 'why the last upgrade failed';
    COMMENT ON COLUMN nodes.deleted_at IS 'taken away by its owner: it never comes back, but its results stay';
    CREATE INDEX ON nodes (user_id, id);
    CREATE INDEX ON nodes (upgrade_requested_at) WHERE upgrade_state IN ('requested', 'running');
    CREATE INDEX ON nodes (updated_at) WHERE banned_at IS NOT NULL OR quarantined_at IS NOT NULL OR deleted_at IS NOT NULL;

    CREATE TABLE retired_node_keys (
      public_key bytea PRIMARY KEY,
      node_id text COLLATE "C" NOT NULL,
      retired_at timestamptz NOT NULL DEFAULT now()
    );
    COMMENT ON TABLE retired_node_keys IS 'keys that were replaced: none of them counts again, for no node';
  `);
}
