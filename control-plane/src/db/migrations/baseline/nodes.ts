// The columns country, city, asn and so on are public and used by selection; they are computed from declared_place and
// derived_place.

/** Nodes, the tokens that enroll them, and the time they were linked. */
export const nodes = `
  CREATE SEQUENCE node_revisions;
  CREATE TABLE nodes (
    id text COLLATE "C" PRIMARY KEY,
    key integer GENERATED ALWAYS AS IDENTITY UNIQUE,
    owner_id text COLLATE "C" NOT NULL REFERENCES owners,
    name text NOT NULL,
    visibility text NOT NULL CHECK (visibility IN ('public', 'private')),
    public_key bytea NOT NULL UNIQUE,
    country text,
    province text,
    region text,
    city text,
    latitude double precision,
    longitude double precision,
    asn bigint,
    isp text,
    provider text,
    declared_place jsonb,
    derived_place jsonb,
    confirmed_against jsonb,
    location_source text NOT NULL DEFAULT 'declared' CHECK (location_source IN ('declared', 'derived', 'confirmed')),
    geo_mismatch boolean NOT NULL DEFAULT false,
    uptime_percent_30d double precision,
    tags text[] NOT NULL DEFAULT '{}',
    hostname text NOT NULL,
    agent_version text NOT NULL,
    os text NOT NULL,
    arch text NOT NULL,
    capabilities text[] NOT NULL DEFAULT '{}',
    self_test jsonb,
    generation bigint NOT NULL DEFAULT 0,
    boot_id text,
    boot_seen_at timestamptz,
    opening bigint NOT NULL DEFAULT 0,
    boot_opening bigint NOT NULL DEFAULT 0,
    session_id text,
    replica_id text,
    connected_at timestamptz,
    left_at timestamptz,
    lost_after timestamptz,
    version_refused jsonb,
    key_changed_at timestamptz,
    rotation_nonce bytea,
    rotation_requested_at timestamptz,
    upgrade_version text,
    upgrade_state text CHECK (upgrade_state IN ('requested', 'running', 'done', 'failed')),
    upgrade_error text,
    upgrade_requested_at timestamptz,
    banned_at timestamptz,
    ban_reason text,
    quarantined_at timestamptz,
    draining_at timestamptz,
    deleted_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    revision bigint NOT NULL DEFAULT nextval('node_revisions')
  );
  COMMENT ON COLUMN nodes.key IS 'replaces the id in tables with millions of rows';
  COMMENT ON COLUMN nodes.declared_place IS 'place that the node declared: {country, province, region, city, asn, provider}; null: the columns of these names';
  COMMENT ON COLUMN nodes.derived_place IS 'place derived from its address: {country, province, city, latitude, longitude, asn, isp, provider}; null: unknown';
  COMMENT ON COLUMN nodes.confirmed_against IS '{country, asn} of its address when an admin confirmed the declared place; null: not confirmed';
  COMMENT ON COLUMN nodes.location_source IS 'source of its country';
  COMMENT ON COLUMN nodes.self_test IS 'newest report of the node: {finished_at, checks: [{name, status, detail}]}; null before the first';
  COMMENT ON COLUMN nodes.boot_seen_at IS 'first hello with this boot_id: earlier slots may have been reported by another process; null: unknown';
  COMMENT ON COLUMN nodes.opening IS 'number of links that it has opened';
  COMMENT ON COLUMN nodes.boot_opening IS 'number of the first link of the process boot_id';
  COMMENT ON COLUMN nodes.session_id IS 'the one live link; ingest and fencing compare it';
  COMMENT ON COLUMN nodes.left_at IS 'when it lost its link; null: it has one, or never had one';
  COMMENT ON COLUMN nodes.lost_after IS 'when pending work of this node counts as lost, unless it has a link again; null while linked or settled';
  COMMENT ON COLUMN nodes.version_refused IS
    '{asked, agent_version, at} of the last hello without a common protocol version, which was not authenticated; null since the last link';
  COMMENT ON COLUMN nodes.rotation_nonce IS 'nonce of a requested key rotation without a reply so far';
  COMMENT ON COLUMN nodes.upgrade_error IS 'why the last upgrade failed';
  COMMENT ON COLUMN nodes.deleted_at IS 'when its owner deleted it: it cannot connect again, but its results stay';
  COMMENT ON COLUMN nodes.revision IS 'grows with every change of the row: the newer of two copies has the greater one';
  CREATE UNIQUE INDEX ON nodes (owner_id, id);
  CREATE INDEX ON nodes (updated_at);
  CREATE INDEX ON nodes (updated_at) WHERE banned_at IS NOT NULL OR quarantined_at IS NOT NULL OR deleted_at IS NOT NULL;
  CREATE INDEX ON nodes (lost_after) WHERE lost_after IS NOT NULL;
  CREATE INDEX ON nodes (upgrade_requested_at) WHERE upgrade_state IN ('requested', 'running');

  CREATE FUNCTION stamp_node() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.updated_at := clock_timestamp();
    NEW.revision := nextval('node_revisions');
    RETURN NEW;
  END $$;
  CREATE TRIGGER stamp_node BEFORE UPDATE ON nodes FOR EACH ROW EXECUTE FUNCTION stamp_node();

  CREATE TABLE retired_node_keys (
    public_key bytea PRIMARY KEY,
    node_id text COLLATE "C" NOT NULL,
    retired_at timestamptz NOT NULL DEFAULT now()
  );
  COMMENT ON TABLE retired_node_keys IS 'keys that were replaced: none of them is accepted again, from any node';

  CREATE TABLE enrollment_tokens (
    id text COLLATE "C" PRIMARY KEY,
    token_id text COLLATE "C" NOT NULL UNIQUE,
    secret_hash bytea NOT NULL,
    preview text NOT NULL,
    owner_id text COLLATE "C" NOT NULL REFERENCES owners ON DELETE CASCADE,
    label text,
    country_code text,
    declared_province text,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    consumed_node_id text COLLATE "C",
    consumed_public_key bytea,
    FOREIGN KEY (owner_id, consumed_node_id) REFERENCES nodes (owner_id, id) DEFERRABLE
  );
  CREATE INDEX ON enrollment_tokens (owner_id, id);

  CREATE UNLOGGED TABLE node_vitals (
    node_id text COLLATE "C" PRIMARY KEY,
    seen_at timestamptz NOT NULL,
    spool jsonb NOT NULL
  );
  COMMENT ON TABLE node_vitals IS 'newest recorded heartbeat of a node, at most one a minute; may be lost in a crash';
  COMMENT ON COLUMN node_vitals.spool IS '{rows, bytes, oldestMs, dropped, problem}, as the node reports it';

  CREATE TABLE node_progress (
    node_id text COLLATE "C" PRIMARY KEY,
    complete_through timestamptz NOT NULL,
    lag_class smallint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50);
  COMMENT ON COLUMN node_progress.complete_through IS 'every check of the node that was due before this time has been delivered';
  COMMENT ON COLUMN node_progress.lag_class IS 'number of the permitted intervals for which its results are too old, when its monitors were last judged';

  CREATE TABLE node_uplink_losses (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    node_id text COLLATE "C" NOT NULL,
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    noted_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  COMMENT ON TABLE node_uplink_losses IS 'periods in which nodes had no network: slots of all of their monitors, less than an hour apart';
  CREATE INDEX ON node_uplink_losses (node_id, last_at);
`;

/** Directories of nodes follow the rows of nodes: each node of a user who becomes an administrator, is one no more, or is shut out, counts as changed. */
export const nodeOwners = `
  CREATE FUNCTION stamp_nodes_of_user() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE nodes SET updated_at = clock_timestamp() WHERE owner_id = NEW.id AND deleted_at IS NULL;
    RETURN NULL;
  END $$;
  CREATE TRIGGER stamp_nodes_of_user AFTER UPDATE OF role, disabled_at ON users FOR EACH ROW
    WHEN (OLD.role IS DISTINCT FROM NEW.role OR (OLD.disabled_at IS NULL) IS DISTINCT FROM (NEW.disabled_at IS NULL))
    EXECUTE FUNCTION stamp_nodes_of_user();
`;

/** Seconds of each day that a node had a link; by a trigger, since links end in several ways: closed, replaced, lost with their replica. */
export const linkDays = `
  CREATE TABLE node_link_days (
    node_id text COLLATE "C" NOT NULL,
    day date NOT NULL,
    seconds double precision NOT NULL,
    PRIMARY KEY (node_id, day)
  );
  COMMENT ON TABLE node_link_days IS 'seconds of a day in UTC with a link, for links that have ended';
  CREATE INDEX ON node_link_days (day);

  CREATE FUNCTION record_link_days() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    began timestamp := OLD.connected_at AT TIME ZONE 'UTC';
    ended timestamp := now() AT TIME ZONE 'UTC';
  BEGIN
    INSERT INTO node_link_days AS d (node_id, day, seconds)
    SELECT OLD.id, day::date,
           extract(epoch FROM least(ended, day + interval '1 day') - greatest(began, day))
    FROM generate_series(date_trunc('day', greatest(began, ended - interval '90 days')), ended, interval '1 day') AS day
    WHERE ended > began
    ON CONFLICT (node_id, day) DO UPDATE SET seconds = least(86400, d.seconds + excluded.seconds);
    RETURN NULL;
  END $$;
  CREATE TRIGGER record_link_days AFTER UPDATE OF session_id ON nodes FOR EACH ROW
    WHEN (OLD.session_id IS NOT NULL AND OLD.connected_at IS NOT NULL AND NEW.session_id IS DISTINCT FROM OLD.session_id)
    EXECUTE FUNCTION record_link_days();
`;
