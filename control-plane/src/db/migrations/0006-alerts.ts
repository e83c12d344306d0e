import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0006-alerts';

/** Alerts of monitors, and when they are looked at again. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(ALERTS);
  await trx.raw(LOOKS);
}

// No foreign keys: alerts outlive their monitors and policies, and are written by the thousand.
const ALERTS = `
  CREATE TABLE alerts (
    id text COLLATE "C" PRIMARY KEY,
    owner_id text COLLATE "C" NOT NULL,
    is_test boolean NOT NULL,
    policy_id text COLLATE "C" NOT NULL,
    policy_name text NOT NULL,
    monitor_id text COLLATE "C" NOT NULL,
    monitor_name text NOT NULL,
    monitor_type text NOT NULL,
    monitor_target text NOT NULL,
    monitor_tags text[] NOT NULL,
    monitor_group_id text COLLATE "C",
    status text NOT NULL CHECK (status IN ('firing', 'acknowledged', 'resolved')),
    type text NOT NULL CHECK (type IN ('down', 'degraded', 'no_data')),
    severity text NOT NULL CHECK (severity IN ('critical', 'warning', 'info')),
    started_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    resolved_at timestamptz,
    reason text,
    affected_nodes text[] NOT NULL,
    next_step_at timestamptz,
    awaits_up boolean NOT NULL,
    state jsonb NOT NULL,
    changes integer NOT NULL,
    look_at timestamptz
  ) WITH (fillfactor = 70);
  COMMENT ON TABLE alerts IS 'one for each policy and period of trouble of a monitor; kept 400 days after its end';
  COMMENT ON COLUMN alerts.monitor_name IS 'as it was at the last change, like the other columns of the monitor and the name of the policy';
  COMMENT ON COLUMN alerts.awaits_up IS 'a user resolved it: the policy opens no other alert until the monitor is up';
  COMMENT ON COLUMN alerts.state IS 'AlertState of the engine';
  COMMENT ON COLUMN alerts.changes IS 'number of changes, which orders messages about the alert';
  COMMENT ON COLUMN alerts.look_at IS 'when something is due without news: a row of alert_due has the same time';
  CREATE UNIQUE INDEX one_open_alert ON alerts (monitor_id, policy_id) WHERE status <> 'resolved';
  CREATE INDEX ON alerts (monitor_id) WHERE awaits_up;
  CREATE INDEX open_alerts_of_owners ON alerts (owner_id, id) WHERE status <> 'resolved';
  CREATE INDEX ON alerts (owner_id, id);
  CREATE INDEX ON alerts (owner_id, monitor_id, id);
  CREATE INDEX ON alerts (resolved_at) WHERE status = 'resolved';

  CREATE TABLE alert_timeline (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    alert_id text COLLATE "C" NOT NULL,
    owner_id text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    what text NOT NULL,
    details jsonb NOT NULL
  );
  CREATE INDEX ON alert_timeline (alert_id, id);
  CREATE INDEX ON alert_timeline (owner_id);

  CREATE TABLE alert_due (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    alert_id text COLLATE "C" NOT NULL,
    due_at timestamptz NOT NULL DEFAULT '-infinity'
  );
  COMMENT ON TABLE alert_due IS 'alerts that are to be looked at: a queue whose rows mean no more than "look again"';
  CREATE INDEX ON alert_due (due_at, id);

  CREATE TABLE alert_data_waits (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    monitor_id text COLLATE "C" NOT NULL,
    since timestamptz NOT NULL,
    due_at timestamptz NOT NULL
  );
  COMMENT ON TABLE alert_data_waits IS 'monitors without data, which a policy alerts of later: a queue like alert_due';
  CREATE INDEX ON alert_data_waits (due_at, id);

  CREATE TABLE alert_bundles (
    id text COLLATE "C" PRIMARY KEY,
    owner_id text COLLATE "C" NOT NULL,
    is_test boolean NOT NULL,
    channel_id text COLLATE "C" NOT NULL,
    group_id text COLLATE "C",
    group_name text,
    recipients text[],
    wait_ms bigint NOT NULL,
    interval_ms bigint NOT NULL,
    state jsonb NOT NULL,
    thread text COLLATE "C",
    due_at timestamptz
  ) WITH (fillfactor = 70);
  COMMENT ON TABLE alert_bundles IS 'messages of a channel that leave together: of a group, or of a storm';
  COMMENT ON COLUMN alert_bundles.thread IS 'of its messages, from the first until all of its alerts are over';
  CREATE INDEX ON alert_bundles (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX ON alert_bundles (owner_id);

  CREATE TABLE alert_told (
    bundle_id text COLLATE "C" NOT NULL,
    alert_id text COLLATE "C" NOT NULL,
    severity text NOT NULL,
    is_firing boolean NOT NULL,
    told_severity text,
    PRIMARY KEY (bundle_id, alert_id)
  );
  COMMENT ON TABLE alert_told IS 'alerts of bundles, and what the channel was told of each';

  CREATE INDEX ON alert_deliveries USING gin (alert_ids);
`;

const LOOKS = `
  CREATE FUNCTION look_at_alerts_of_monitor() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO alert_due (alert_id) SELECT id FROM alerts WHERE monitor_id = NEW.id AND status <> 'resolved';
    RETURN NULL;
  END $$;
  CREATE TRIGGER look_at_alerts AFTER UPDATE OF alert_policy_id, notifies_owner, tags, group_id ON monitors FOR EACH ROW
    WHEN ((OLD.alert_policy_id, OLD.notifies_owner, OLD.tags, OLD.group_id)
      IS DISTINCT FROM (NEW.alert_policy_id, NEW.notifies_owner, NEW.tags, NEW.group_id))
    EXECUTE FUNCTION look_at_alerts_of_monitor();

  CREATE FUNCTION look_at_alerts_in_window() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO alert_due (alert_id)
      SELECT id FROM alerts WHERE owner_id = coalesce(NEW.owner_id, OLD.owner_id) AND status <> 'resolved';
    RETURN NULL;
  END $$;
  CREATE TRIGGER look_at_alerts AFTER INSERT OR UPDATE OR DELETE ON maintenance_windows FOR EACH ROW
    EXECUTE FUNCTION look_at_alerts_in_window();
  COMMENT ON FUNCTION look_at_alerts_in_window IS 'windows begin, end, are changed and deleted: each of it may hold or release messages';
`;
