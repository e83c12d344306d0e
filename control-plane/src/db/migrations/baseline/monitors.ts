//   monitors ──1:1── monitor_states        what is known of it; every change of it is a compare-and-swap of `version`
//      │ ├──1:1── heartbeats               of those that wait for pings
//      │ └──1:n── monitor_events           at most one of them has no end
//      └──n:m── nodes: monitor_assignments  who checks it, with generations; ended ones are kept for what comes late
//                      monitor_node_states  what each of them says
//   monitor_due                            whose state is to be judged: a queue, its rows mean no more than "look again"

/** Monitors, their groups, and who checks them. */
export const monitors = `
  CREATE TABLE monitor_groups (
    id text COLLATE "C" PRIMARY KEY,
    owner_id text COLLATE "C" NOT NULL REFERENCES owners ON DELETE CASCADE,
    created_by text COLLATE "C" NOT NULL REFERENCES users,
    is_test boolean NOT NULL DEFAULT false,
    name text NOT NULL,
    sort_order integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE UNIQUE INDEX ON monitor_groups (owner_id, id);

  CREATE TABLE monitors (
    id text COLLATE "C" PRIMARY KEY,
    key integer GENERATED ALWAYS AS IDENTITY UNIQUE,
    owner_id text COLLATE "C" NOT NULL REFERENCES owners ON DELETE CASCADE,
    created_by text COLLATE "C" NOT NULL REFERENCES users,
    is_test boolean NOT NULL DEFAULT false,
    name text NOT NULL,
    type text NOT NULL,
    target text NOT NULL,
    interval_s integer NOT NULL,
    config jsonb NOT NULL,
    sealed_secrets bytea,
    status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused', 'archived')),
    group_id text COLLATE "C",
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
    UNIQUE (owner_id, name),
    FOREIGN KEY (owner_id, group_id) REFERENCES monitor_groups (owner_id, id) ON DELETE SET NULL (group_id) DEFERRABLE
  );
  COMMENT ON COLUMN monitors.sealed_secrets IS 'secrets of the config, which are never shown again: JSON of path -> value';
  CREATE UNIQUE INDEX ON monitors (owner_id, id);
  -- lists count what an owner has: in an index of equal keys, ten thousand of them are eleven pages
  CREATE INDEX ON monitors (owner_id);
  CREATE INDEX ON monitors (group_id) WHERE group_id IS NOT NULL;

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
  COMMENT ON TABLE assignment_changes IS 'nodes whose assignments changed: for replicas that missed the bus message';
  CREATE INDEX ON assignment_changes (changed_at);

  CREATE TABLE placement_due (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    monitor_id text COLLATE "C" NOT NULL,
    due_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX ON placement_due (due_at, id);
`;

/** States of monitors, and when they are judged again. */
export const states = `
  CREATE TABLE monitor_node_states (
    monitor_id text COLLATE "C" NOT NULL,
    node_id text COLLATE "C" NOT NULL,
    generation bigint NOT NULL,
    verdict text NOT NULL CHECK (verdict IN ('ok', 'degraded', 'failing', 'undecided')),
    since timestamptz NOT NULL,
    slot timestamptz NOT NULL,
    error text,
    PRIMARY KEY (monitor_id, node_id)
  ) WITH (fillfactor = 70);
  COMMENT ON COLUMN monitor_node_states.slot IS 'slot of the newest check when the row was written';

  CREATE TABLE monitor_states (
    monitor_id text COLLATE "C" PRIMARY KEY REFERENCES monitors ON DELETE CASCADE,
    version bigint NOT NULL DEFAULT 0,
    health text NOT NULL DEFAULT 'unknown' CHECK (health IN ('up', 'down', 'degraded', 'unknown')),
    changed_at timestamptz,
    failing_nodes text[] NOT NULL DEFAULT '{}',
    not_before timestamptz NOT NULL DEFAULT now(),
    first_check_at timestamptz,
    last_check_at timestamptz,
    resolved_type text CHECK (resolved_type IN ('down', 'degraded')),
    is_flapping boolean NOT NULL DEFAULT false,
    same_rule_since timestamptz NOT NULL DEFAULT now()
  ) WITH (fillfactor = 70);
  COMMENT ON COLUMN monitor_states.failing_nodes IS 'below the quorum: an advisory';
  COMMENT ON COLUMN monitor_states.last_check_at IS 'updated every quarter of an hour: for the last day, see monitor_checks';
  COMMENT ON COLUMN monitor_states.not_before IS 'no event begins before this time';
  COMMENT ON COLUMN monitor_states.resolved_type IS 'type of the event that a user resolved; until the monitor is up, only an event of a worse type opens';
  COMMENT ON COLUMN monitor_states.is_flapping IS 'its owner was notified of it, and is not notified of single events';
  COMMENT ON COLUMN monitor_states.same_rule_since IS 'earlier checks had another target, or were judged by another rule';
  CREATE INDEX flapping_monitors ON monitor_states (monitor_id) WHERE is_flapping;

  CREATE FUNCTION note_monitor_rule() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE monitor_states SET same_rule_since = clock_timestamp() WHERE monitor_id = NEW.id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER note_monitor_rule AFTER UPDATE ON monitors FOR EACH ROW
    WHEN ((OLD.target, OLD.interval_s, OLD.config, OLD.consecutive_fail, OLD.consecutive_ok, OLD.fail_node_quorum)
      IS DISTINCT FROM (NEW.target, NEW.interval_s, NEW.config, NEW.consecutive_fail, NEW.consecutive_ok, NEW.fail_node_quorum))
    EXECUTE FUNCTION note_monitor_rule();

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
  COMMENT ON FUNCTION note_node_link IS 'when a link ends, for whatever reason, the monitors of its node are judged again unless it reconnects in time';
`;

// An event has a copy of the owner of its monitor: without it, a page of all events of an owner would read every event
// of every monitor of the owner. A trigger sets it, so that writers of events need not know it.

/** Events of monitors, and their notifications. */
export const events = `
  CREATE TABLE monitor_events (
    id text COLLATE "C" PRIMARY KEY,
    monitor_id text COLLATE "C" NOT NULL,
    owner_id text COLLATE "C" NOT NULL,
    type text NOT NULL CHECK (type IN ('down', 'degraded')),
    earlier_types jsonb NOT NULL DEFAULT '[]',
    told_type text CHECK (told_type IN ('down', 'degraded')),
    started_at timestamptz NOT NULL,
    ended_at timestamptz CHECK (ended_at >= started_at),
    affected_nodes text[] NOT NULL DEFAULT '{}',
    reason text,
    is_false_positive boolean NOT NULL DEFAULT false,
    ack_at timestamptz,
    acknowledged_by text,
    resolved_at timestamptz,
    resolved_by text,
    notes text,
    backfilled boolean NOT NULL DEFAULT false,
    was_told boolean NOT NULL DEFAULT true,
    disputed boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (owner_id, monitor_id) REFERENCES monitors (owner_id, id) ON DELETE CASCADE DEFERRABLE
  );
  COMMENT ON COLUMN monitor_events.owner_id IS 'owner of the monitor, which never changes';
  COMMENT ON COLUMN monitor_events.earlier_types IS 'earlier types of the open event, each with its end';
  COMMENT ON COLUMN monitor_events.told_type IS 'type of which users were notified; null: its type';
  COMMENT ON COLUMN monitor_events.was_told IS 'false: late checks created it, and no one was notified';
  COMMENT ON COLUMN monitor_events.disputed IS 'late checks contradict it; it is kept because users were notified';
  CREATE UNIQUE INDEX one_open_event ON monitor_events (monitor_id) WHERE ended_at IS NULL;
  CREATE INDEX ON monitor_events (monitor_id, started_at DESC, id DESC);
  CREATE INDEX events_of_owners ON monitor_events (owner_id, started_at DESC, id DESC);
  CREATE INDEX open_events_of_owners ON monitor_events (owner_id, started_at DESC, id DESC) WHERE ended_at IS NULL;

  CREATE FUNCTION note_event_owner() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    SELECT owner_id INTO NEW.owner_id FROM monitors WHERE id = NEW.monitor_id;
    RETURN NEW;
  END $$;
  CREATE TRIGGER note_event_owner BEFORE INSERT ON monitor_events FOR EACH ROW EXECUTE FUNCTION note_event_owner();

  CREATE TABLE outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL,
    owner_id text COLLATE "C" NOT NULL,
    is_test boolean NOT NULL,
    subject text COLLATE "C" NOT NULL,
    payload jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  COMMENT ON TABLE outbox IS 'events by kind, written in the transaction in which they happened';
  CREATE INDEX ON outbox (created_at);
`;

// A window's next turn is the next beginning or end of an occurrence, a notice the mail before one. Any replica takes
// the windows for which one of them is due, performs it and writes the following one, in one transaction.

/** Maintenance windows. */
export const maintenance = `
  CREATE TABLE maintenance_windows (
    id text COLLATE "C" PRIMARY KEY,
    owner_id text COLLATE "C" NOT NULL REFERENCES owners ON DELETE CASCADE,
    created_by text COLLATE "C" NOT NULL REFERENCES users,
    is_test boolean NOT NULL DEFAULT false,
    title text,
    scope_type text NOT NULL CHECK (scope_type IN ('monitor', 'group', 'tag', 'all')),
    scope_ids text[] COLLATE "C" NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL CHECK (ends_at > starts_at),
    recurrence text NOT NULL CHECK (recurrence IN ('none', 'daily', 'weekly', 'monthly')),
    recurrence_until timestamptz,
    timezone text NOT NULL,
    advance_notice_minutes integer NOT NULL,
    turned_at timestamptz,
    next_turn_at timestamptz,
    announced_at timestamptz,
    next_notice_at timestamptz,
    due_at timestamptz GENERATED ALWAYS AS (least(next_turn_at, next_notice_at)) STORED,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
  );
  COMMENT ON COLUMN maintenance_windows.turned_at IS 'the last turn that a replica noticed: it applies to replicas whose clocks are behind, too';
  COMMENT ON COLUMN maintenance_windows.announced_at IS 'start of the last occurrence of which the owner was notified';
  CREATE UNIQUE INDEX ON maintenance_windows (owner_id, id);
  CREATE INDEX ON maintenance_windows (due_at) WHERE due_at IS NOT NULL;
`;
