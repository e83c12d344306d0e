import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0005-alert-policies';

/** Policies, silences and groups of alerts. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(POLICIES);
  await trx.raw(DEFAULT_POLICIES);
  await trx.raw(SILENCES_AND_GROUPS);
}

const POLICIES = `
  CREATE TABLE alert_policies (
    id text COLLATE "C" PRIMARY KEY,
    owner_id text COLLATE "C" NOT NULL REFERENCES owners ON DELETE CASCADE,
    created_by text COLLATE "C" NOT NULL REFERENCES users,
    is_test boolean NOT NULL,
    name text NOT NULL,
    is_enabled boolean NOT NULL DEFAULT true,
    is_default boolean NOT NULL DEFAULT false,
    monitor_id text COLLATE "C",
    rules jsonb NOT NULL,
    escalation jsonb NOT NULL,
    on_recovery jsonb NOT NULL,
    suppression jsonb NOT NULL,
    depends_on text[] COLLATE "C" NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (owner_id, name),
    FOREIGN KEY (owner_id, monitor_id) REFERENCES monitors (owner_id, id) ON DELETE CASCADE,
    CHECK (NOT is_default OR (NOT is_test AND monitor_id IS NULL))
  );
  COMMENT ON COLUMN alert_policies.monitor_id IS 'monitor of a policy in the simple form; null: the policy is in the full form';
  COMMENT ON COLUMN alert_policies.suppression IS 'without depends_on, which has a column of its own';
  COMMENT ON COLUMN alert_policies.depends_on IS 'ids of monitors; those of deleted ones stay, without effect';
  CREATE UNIQUE INDEX ON alert_policies (owner_id, id);
  CREATE UNIQUE INDEX ON alert_policies (owner_id) WHERE is_default;
  CREATE INDEX ON alert_policies (monitor_id) WHERE monitor_id IS NOT NULL;
  CREATE INDEX ON alert_policies USING gin (depends_on) WHERE depends_on <> '{}';

  ALTER TABLE monitors ADD COLUMN alert_severity jsonb NOT NULL DEFAULT '{"down": "critical", "degraded": "warning"}';
  COMMENT ON COLUMN monitors.alert_severity IS 'severity of alerts by the type of the event';
  UPDATE monitors SET alert_policy_id = NULL WHERE alert_policy_id IS NOT NULL;
  ALTER TABLE monitors ADD FOREIGN KEY (owner_id, alert_policy_id) REFERENCES alert_policies (owner_id, id)
    ON DELETE SET NULL (alert_policy_id) DEFERRABLE;
  CREATE INDEX ON monitors (alert_policy_id) WHERE alert_policy_id IS NOT NULL;
`;

// NOTE: the parts are those of `defaultPolicy` in modules/alerts/policies/policy-defaults.ts
const DEFAULT_POLICIES = `
  CREATE FUNCTION insert_default_alert_policy(user_id text, at timestamptz) RETURNS void LANGUAGE sql AS $$
    INSERT INTO alert_policies
      (id, owner_id, created_by, is_test, name, is_default, rules, escalation, on_recovery, suppression, created_at, updated_at)
      VALUES ('ap_' || substr(user_id, 3), user_id, user_id, false, 'Default', true,
        jsonb_build_array(jsonb_build_object(
          'match', '{"severity": [], "tags_any": [], "time_window": null}'::jsonb,
          'channels', jsonb_build_array(jsonb_build_object('type', 'email', 'channel_id', 'ch_' || substr(user_id, 3), 'to', null)),
          'delay_sec', 0,
          'repeat', '{"enabled": false, "interval_sec": 14400, "max_count": 10}'::jsonb)),
        '{"steps": [], "repeat": 0, "ack_timeout_sec": 0}',
        '{"notify": true, "delay_sec": 0, "channels": []}',
        '{"after_sec": 0, "quiet_hours": [], "flapping": "notice", "no_data_after_sec": 900}', at, at);
  $$;
  CREATE FUNCTION create_default_alert_policy() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM insert_default_alert_policy(NEW.id, NEW.created_at);
    RETURN NULL;
  END $$;
  CREATE TRIGGER create_default_alert_policy AFTER INSERT ON users FOR EACH ROW
    EXECUTE FUNCTION create_default_alert_policy();
  SELECT insert_default_alert_policy(id, now()) FROM users WHERE deleted_at IS NULL;
`;

const SILENCES_AND_GROUPS = `
  CREATE TABLE alert_silences (
    id text COLLATE "C" PRIMARY KEY,
    owner_id text COLLATE "C" NOT NULL REFERENCES owners ON DELETE CASCADE,
    created_by text COLLATE "C" NOT NULL REFERENCES users,
    is_test boolean NOT NULL,
    scope_type text NOT NULL CHECK (scope_type IN ('monitor', 'group', 'tag', 'all')),
    scope_ids text[] COLLATE "C" NOT NULL,
    severities text[] NOT NULL,
    reason text NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL CHECK (ends_at >= starts_at),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
  );
  COMMENT ON COLUMN alert_silences.severities IS 'empty: all';
  CREATE INDEX ON alert_silences (owner_id, ends_at);
  CREATE INDEX ON alert_silences (ends_at);

  CREATE TABLE alert_groups (
    id text COLLATE "C" PRIMARY KEY,
    owner_id text COLLATE "C" NOT NULL REFERENCES owners ON DELETE CASCADE,
    created_by text COLLATE "C" NOT NULL REFERENCES users,
    is_test boolean NOT NULL,
    name text NOT NULL,
    group_by text NOT NULL CHECK (group_by IN ('monitor_prefix', 'tag', 'type')),
    group_value text NOT NULL,
    wait_seconds integer NOT NULL,
    interval_seconds integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
  );
  COMMENT ON TABLE alert_groups IS 'rules by which messages about several alerts are joined';
  CREATE INDEX ON alert_groups (owner_id);
`;
