import type { Knex } from 'knex';

// monitors ──1:1── heartbeats ──1:n── heartbeat_pings
//
// A check-in is one statement: the ping is stored and its heartbeat is due. What it means is judged afterwards, by whichever
// replica claims the heartbeat: `judged_seq` is the last ping that was. Pings have no foreign keys, as checks have none.

/** Name in the table of applied migrations. */
export const name = '0014-heartbeats';

/** Monitors that wait for pings. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    CREATE TABLE heartbeats (
      monitor_id text COLLATE "C" PRIMARY KEY REFERENCES monitors ON DELETE CASCADE,
      token_hash bytea NOT NULL UNIQUE,
      sealed_token bytea NOT NULL,
      public_id text COLLATE "C" NOT NULL UNIQUE,
      last_ping_at timestamptz,
      last_ping_ip text,
      last_ping_via text,
      ping_count bigint NOT NULL DEFAULT 0,
      judged_seq bigint NOT NULL DEFAULT 0,
      unjudged_since timestamptz,
      phase text NOT NULL DEFAULT 'new' CHECK (phase IN ('new', 'up', 'down')),
      expected_at timestamptz,
      alert_after timestamptz,
      started_at timestamptz,
      started_rid text,
      down_at timestamptz,
      down_reason text,
      due_at timestamptz
    ) WITH (fillfactor = 70);
    COMMENT ON COLUMN heartbeats.token_hash IS 'SHA-256 of the secret part of the token';
    COMMENT ON COLUMN heartbeats.public_id IS 'of the badge: stays when the token changes';
    COMMENT ON COLUMN heartbeats.ping_count IS 'also the number of the newest ping';
    COMMENT ON COLUMN heartbeats.unjudged_since IS 'when the first ping after judged_seq came; null: there is none';
    COMMENT ON COLUMN heartbeats.started_at IS 'of a run that has not ended';
    COMMENT ON COLUMN heartbeats.due_at IS 'when it is to be judged: a ping came, or its deadline passes; null: not before a ping';
    CREATE INDEX ON heartbeats (due_at) WHERE due_at IS NOT NULL;

    CREATE TABLE heartbeat_pings (
      at timestamptz NOT NULL,
      monitor_key integer NOT NULL,
      seq bigint NOT NULL,
      kind text NOT NULL CHECK (kind IN ('success', 'start', 'fail', 'exit')),
      exit_code smallint,
      lacks_text boolean NOT NULL,
      duration_ms bigint,
      body bytea,
      ip text NOT NULL,
      via text NOT NULL,
      rid text
    ) PARTITION BY RANGE (at);
    COMMENT ON COLUMN heartbeat_pings.lacks_text IS 'the body did not contain what it had to';
    COMMENT ON COLUMN heartbeat_pings.duration_ms IS 'of the run that this ping ended';
    COMMENT ON COLUMN heartbeat_pings.body IS 'its beginning, as it came';
    CREATE INDEX ON heartbeat_pings (monitor_key, seq);`);
}
