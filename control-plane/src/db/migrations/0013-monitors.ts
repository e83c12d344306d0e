import type { Knex } from 'knex';

// monitor_checks is by far the largest table: its rows name monitors and nodes by their 4-byte keys, and its only index
// is that of one monitor's time line. It has no foreign keys: ingest must never fail because a monitor was deleted meanwhile.
//
//   monitors ──1:1── monitor_states        what is known of it; every change of it is a compare-and-swap of `version`
//      │ └──1:n── monitor_events           at most one of them has no end
//      └──n:m── nodes: monitor_assignments  who checks it, with generations; ended ones are kept for what comes late
//                      monitor_node_states  what each of them says
//   monitor_due                            whose state is to be judged: a queue, its rows mean no more than "look again"

/** Name in the table of applied migrations. */
export const name = '0013-monitors';

/** Monitors, who checks them, what came of it, and their events. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(nodes);
  await trx.raw(monitors);
  await trx.raw(assignments);
  await trx.raw(checks);
  await trx.raw(states);
}

const nodes = `
  ALTER TABLE nodes ADD COLUMN key integer GENERATED ALWAYS AS IDENTITY UNIQUE;
  COMMENT ON COLUMN nodes.key IS 'stands for the id in rows that there are millions of';

  CREATE TABLE node_progress (
    node_id text COLLATE "C" PRIMARY KEY,
    complete_through timestamptz NOT NULL,
    lag_class smallint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50);
  COMMENT ON COLUMN node_progress.complete_through IS 'every check of the node that was due before has been delivered';
  COMMENT ON COLUMN node_progress.lag_class IS 'how many of the intervals monitors may have its results are too old for, as its monitors last heard';
`;

const monitors = `
  CREATE TABLE monitor_groups (
    id text COLLATE "C" PRIMARY KEY,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    is_test boolean NOT NULL DEFAULT false,
    name text NOT NULL,
    sort_order integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX ON monitor_groups (user_id, id);

  CREATE TABLE monitors (
    id text COLLATE "C" PRIMARY KEY,
    key integer GENERATED ALWAYS AS IDENTITY UNIQUE,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    is_test boolean NOT NULL DEFAULT false,
    name text NOT NULL,
    type text NOT NULL,
    target text NOT NULL,
    interval_s integer NOT NULL,
    config jsonb NOT NULL,
    sealed_secrets bytea,
    status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused', 'archived')),
    group_id text COLLATE "C" REFERENCES monitor_groups ON DELETE SET NULL,
    tags text[] NOT NULL DEFAULT '{}',
    node_selection jsonb NOT NULL,
    node_count integer NOT NULL,
    consecutive_fail integer NOT NULL,
    consecutive_ok integer NOT NULL,
    fail_node_quorum text NOT NULL,
    alert_policy_id text COLLATE "C",
    notifies_owner boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (user_id, name)
  );
  COMMENT ON COLUMN monitors.sealed_secrets IS 'what of the config is never shown again: JSON of path -> value';
  CREATE INDEX ON monitors (user_id, id);
  CREATE INDEX ON monitors (group_id) WHERE group_id IS NOT NULL;
`;

const assignments = `
  CREATE SEQUENCE assignment_generations;
  CREATE TABLE monitor_assignments (
    monitor_id text COLLATE "C" NOT NULL REFERENCES monitors ON DELETE CASCADE,
    node_id text COLLATE "C" NOT NULL,
    generation bigint NOT NULL DEFAULT nextval('assignment_generations'),
    assigned_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    PRIMARY KEY (monitor_id, node_id)
  );
  CREATE INDEX ON monitor_assignments (node_id) WHERE ended_at IS NULL;

  CREATE TABLE assignment_changes (
    node_id text COLLATE "C" PRIMARY KEY,
    changed_at timestamptz NOT NULL
  );
  COMMENT ON TABLE assignment_changes IS 'nodes whose assignments changed: what a replica missed on the bus it finds here';
  CREATE INDEX ON assignment_changes (changed_at);

  CREATE TABLE placement_due (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    monitor_id text COLLATE "C" NOT NULL,
    due_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX ON placement_due (due_at, id);
`;

const checks = `
  CREATE TABLE monitor_checks (
    at timestamptz NOT NULL,
    monitor_key integer NOT NULL,
    node_key integer NOT NULL,
    late_ms integer NOT NULL,
    response_ms real,
    status_code smallint,
    outcome smallint NOT NULL,
    flags smallint NOT NULL,
    error text
  ) PARTITION BY RANGE (at);
  COMMENT ON COLUMN monitor_checks.at IS 'when it was due, by server time';
  COMMENT ON COLUMN monitor_checks.late_ms IS 'it began so long after';
  COMMENT ON COLUMN monitor_checks.outcome IS '0 ok, 1 degraded, 2 failed';
  COMMENT ON COLUMN monitor_checks.flags IS '1 superseded: the monitor was another node''s by then; 2 asked for by a person; 4 came late';
  CREATE INDEX ON monitor_checks (monitor_key, at);

  CREATE TABLE missed_slots (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    monitor_key integer NOT NULL,
    node_key integer NOT NULL,
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    slots integer NOT NULL,
    reason text NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX ON missed_slots (monitor_key, first_at);
  CREATE INDEX ON missed_slots (received_at);
`;

const states = `
  CREATE TABLE monitor_node_states (
    monitor_id text COLLATE "C" NOT NULL,
    node_id text COLLATE "C" NOT NULL,
    generation bigint NOT NULL,
    verdict text NOT NULL CHECK (verdict IN ('ok', 'degraded', 'failing')),
    since timestamptz NOT NULL,
    slot timestamptz NOT NULL,
    error text,
    PRIMARY KEY (monitor_id, node_id)
  ) WITH (fillfactor = 70);
  COMMENT ON COLUMN monitor_node_states.slot IS 'of the check that was the newest when the row was written';

  CREATE TABLE monitor_states (
    monitor_id text COLLATE "C" PRIMARY KEY REFERENCES monitors ON DELETE CASCADE,
    version bigint NOT NULL DEFAULT 0,
    health text NOT NULL DEFAULT 'unknown' CHECK (health IN ('up', 'down', 'degraded', 'unknown')),
    changed_at timestamptz,
    failing_nodes text[] NOT NULL DEFAULT '{}',
    not_before timestamptz NOT NULL DEFAULT now(),
    first_check_at timestamptz
  );
  COMMENT ON COLUMN monitor_states.failing_nodes IS 'below the quorum: an advisory';
  COMMENT ON COLUMN monitor_states.not_before IS 'no event begins before';

  CREATE TABLE monitor_pauses (
    monitor_id text COLLATE "C" NOT NULL REFERENCES monitors ON DELETE CASCADE,
    from_at timestamptz NOT NULL,
    to_at timestamptz
  );
  CREATE INDEX ON monitor_pauses (monitor_id, from_at);

  CREATE TABLE monitor_due (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    monitor_id text COLLATE "C" NOT NULL,
    due_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX ON monitor_due (due_at, id);

  ALTER TABLE nodes ADD COLUMN left_at timestamptz;
  COMMENT ON COLUMN nodes.left_at IS 'since when it has no link; null: it has one, or never had';
  CREATE FUNCTION note_node_link() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.left_at := CASE WHEN NEW.session_id IS NULL THEN clock_timestamp() END;
    INSERT INTO monitor_due (monitor_id, due_at)
      SELECT monitor_id, clock_timestamp() + CASE WHEN NEW.session_id IS NULL THEN interval '31 s' ELSE interval '0' END
      FROM monitor_assignments WHERE node_id = NEW.id AND ended_at IS NULL;
    RETURN NEW;
  END $$;
  CREATE TRIGGER note_node_link BEFORE UPDATE ON nodes FOR EACH ROW
    WHEN ((OLD.session_id IS NULL) IS DISTINCT FROM (NEW.session_id IS NULL)) EXECUTE FUNCTION note_node_link();
  CREATE FUNCTION note_node_test() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO monitor_due (monitor_id)
      SELECT monitor_id FROM monitor_assignments WHERE node_id = NEW.id AND ended_at IS NULL;
    RETURN NULL;
  END $$;
  CREATE TRIGGER note_node_test AFTER UPDATE ON nodes FOR EACH ROW
    WHEN (jsonb_path_query_array(OLD.self_test::jsonb, '$.checks[*].status')
      IS DISTINCT FROM jsonb_path_query_array(NEW.self_test::jsonb, '$.checks[*].status'))
    EXECUTE FUNCTION note_node_test();
  COMMENT ON FUNCTION note_node_link IS 'whoever ends a link, its monitors are judged again when it has not come back in time';

  CREATE TABLE monitor_events (
    id text COLLATE "C" PRIMARY KEY,
    monitor_id text COLLATE "C" NOT NULL REFERENCES monitors ON DELETE CASCADE,
    type text NOT NULL CHECK (type IN ('down', 'degraded')),
    started_at timestamptz NOT NULL,
    ended_at timestamptz CHECK (ended_at >= started_at),
    affected_nodes text[] NOT NULL DEFAULT '{}',
    reason text,
    is_false_positive boolean NOT NULL DEFAULT false,
    ack_at timestamptz,
    acknowledged_by text,
    resolved_by text,
    notes text,
    backfilled boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE UNIQUE INDEX one_open_event ON monitor_events (monitor_id) WHERE ended_at IS NULL;
  CREATE INDEX ON monitor_events (monitor_id, started_at DESC, id DESC);

  CREATE TABLE outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    is_test boolean NOT NULL,
    subject text COLLATE "C" NOT NULL,
    payload jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  COMMENT ON TABLE outbox IS 'what happened, by the kinds of webhooks, in the transaction in which it did';
  CREATE INDEX ON outbox (created_at);
`;
