// monitors ──1:1── heartbeats ──1:n── heartbeat_pings
//
// A check-in is one statement: the ping is stored and its heartbeat is due. It is judged afterwards, by the replica
// that claims the heartbeat: `judged_seq` is the last judged ping. Pings have no foreign keys, like checks.

/** Monitors that wait for pings. */
export const heartbeats = `
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
  COMMENT ON COLUMN heartbeats.public_id IS 'id of the badge: stays the same when the token changes';
  COMMENT ON COLUMN heartbeats.ping_count IS 'also the number of the newest ping';
  COMMENT ON COLUMN heartbeats.unjudged_since IS 'when the first ping after judged_seq arrived; null: no such ping';
  COMMENT ON COLUMN heartbeats.started_at IS 'start of the current run';
  COMMENT ON COLUMN heartbeats.due_at IS 'when it is due for a judgment: a ping arrived, or its deadline passes; null: not before a ping';
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
  COMMENT ON COLUMN heartbeat_pings.lacks_text IS 'the body did not contain the required text';
  COMMENT ON COLUMN heartbeat_pings.duration_ms IS 'duration of the run that this ping ended';
  COMMENT ON COLUMN heartbeat_pings.body IS 'beginning of the body, unchanged';
  CREATE INDEX ON heartbeat_pings (monitor_key, seq);
`;
