import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0015-rollouts';

/** Staged upgrades of many nodes. A node is in a roll-out once, at a position that was drawn when it was created. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    CREATE TABLE rollouts (
      id text COLLATE "C" PRIMARY KEY,
      version text NOT NULL,
      selection jsonb NOT NULL,
      stages integer[] NOT NULL,
      max_failures integer NOT NULL,
      pause_s integer NOT NULL,
      state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'paused', 'halted', 'aborted', 'done')),
      stage integer NOT NULL DEFAULT 0,
      stage_ended_at timestamptz,
      forgiven integer NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL DEFAULT now(),
      ended_at timestamptz
    );
    COMMENT ON COLUMN rollouts.stage IS 'index in stages';
    COMMENT ON COLUMN rollouts.stage_ended_at IS 'end of the last upgrade of the stage, from which the pause counts; null: it runs';
    COMMENT ON COLUMN rollouts.forgiven IS 'failures before the last resume of a halted roll-out, which do not count';
    CREATE UNIQUE INDEX rollouts_open ON rollouts ((true)) WHERE state IN ('running', 'paused', 'halted');
    CREATE TABLE rollout_nodes (
      rollout_id text COLLATE "C" NOT NULL REFERENCES rollouts ON DELETE CASCADE,
      position integer NOT NULL,
      node_id text COLLATE "C" NOT NULL,
      state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'requested', 'done', 'failed', 'skipped')),
      requested_at timestamptz,
      ended_at timestamptz,
      error text,
      PRIMARY KEY (rollout_id, position),
      UNIQUE (rollout_id, node_id)
    );
    CREATE INDEX rollout_nodes_requested ON rollout_nodes (rollout_id) WHERE state = 'requested';
  `);
}
