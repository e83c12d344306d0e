import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0008-notices-and-digests';

/** Notices about nodes, and which messages alerts were joined in. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(NODE_WAITS);
  await trx.raw(JOINED);
}

const NODE_WAITS = `
  CREATE TABLE alert_node_waits (
    node_id text COLLATE "C" NOT NULL,
    kind text NOT NULL CHECK (kind IN ('node_offline', 'node_unhealthy')),
    owner_id text COLLATE "C" NOT NULL,
    node_name text NOT NULL,
    reason text,
    since timestamptz NOT NULL,
    due_at timestamptz,
    ended_at timestamptz,
    PRIMARY KEY (node_id, kind)
  );
  COMMENT ON TABLE alert_node_waits IS 'nodes of which a notice waits for those of other nodes; and nodes that a notice said are offline';
  COMMENT ON COLUMN alert_node_waits.due_at IS 'null: the notice was sent';
  COMMENT ON COLUMN alert_node_waits.ended_at IS 'of a node that is online again';
  CREATE INDEX ON alert_node_waits (owner_id, kind);
  CREATE INDEX ON alert_node_waits (due_at) WHERE due_at IS NOT NULL;
`;

const JOINED = `
  ALTER TABLE alerts ADD COLUMN group_key text COLLATE "C";
  COMMENT ON COLUMN alerts.group_key IS 'group, or storm of a channel, whose messages the last one about the alert joined';

  CREATE TABLE alert_digests (
    message_group text COLLATE "C" PRIMARY KEY,
    owner_id text COLLATE "C" NOT NULL,
    alert_ids text[] NOT NULL,
    created_at timestamptz NOT NULL
  );
  COMMENT ON TABLE alert_digests IS 'all alerts of a message about more than a hundred; kept as long as its link is valid';
  CREATE INDEX ON alert_digests (created_at);
  CREATE INDEX ON alert_digests (owner_id);
`;
