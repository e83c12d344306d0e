import type { Knex } from 'knex';

// Ids are text COLLATE "C": they sort by creation, so days are ranges of ids (see db/partitions.ts).
// Hot tables (probe_*, superseded_results, ingest_marks) have no foreign keys: ingest must never fail because an
// owner was deleted meanwhile.

/** Name in the table of applied migrations. */
export const name = '0001-main-road';

/** Accounts, tokens, nodes, replicas, probe tasks and ingest. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(accounts);
  await trx.raw(nodes);
  await trx.raw(replicas);
  await trx.raw(probes);
  await trx.raw(ingest);
}

const accounts = `
  CREATE TABLE users (
    id text COLLATE "C" PRIMARY KEY,
    email text NOT NULL UNIQUE CHECK (email = lower(email)),
    role text NOT NULL CHECK (role IN ('user', 'admin')),
    plan text NOT NULL,
    password_hash text,
    created_at timestamptz NOT NULL DEFAULT now()
  );

  CREATE TABLE personal_access_tokens (
    id text COLLATE "C" PRIMARY KEY,
    token_id text COLLATE "C" NOT NULL UNIQUE,
    secret_hash bytea NOT NULL,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    name text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz
  );
  CREATE INDEX ON personal_access_tokens (user_id);

  CREATE TABLE audit_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    user_id text COLLATE "C",
    credential_id text,
    action text NOT NULL,
    subject text NOT NULL,
    details jsonb NOT NULL DEFAULT '{}',
    request_id text
  );
  CREATE INDEX ON audit_log (subject, id);
`;

const nodes = `
  CREATE SEQUENCE node_revisions;
  CREATE TABLE nodes (
    id text COLLATE "C" PRIMARY KEY,
    user_id text COLLATE "C" NOT NULL REFERENCES users,
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
    tags text[] NOT NULL DEFAULT '{}',
    hostname text NOT NULL,
    agent_version text NOT NULL,
    os text NOT NULL,
    arch text NOT NULL,
    capabilities text[] NOT NULL DEFAULT '{}',
    generation bigint NOT NULL DEFAULT 0,
    boot_id text,
    session_id text,
    replica_id text,
    connected_at timestamptz,
    lost_after timestamptz,
    banned_at timestamptz,
    ban_reason text,
    quarantined_at timestamptz,
    draining_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    revision bigint NOT NULL DEFAULT nextval('node_revisions')
  );
  CREATE FUNCTION stamp_node() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.updated_at := clock_timestamp();
    NEW.revision := nextval('node_revisions');
    RETURN NEW;
  END $$;
  CREATE TRIGGER stamp_node BEFORE UPDATE ON nodes FOR EACH ROW EXECUTE FUNCTION stamp_node();
  COMMENT ON COLUMN nodes.session_id IS 'the one live link; ingest and fencing compare it';
  COMMENT ON COLUMN nodes.revision IS 'grows with every change of the row: the newer of two copies';
  COMMENT ON COLUMN nodes.lost_after IS 'pending work of this node is lost unless it is back by then; null while linked or settled';
  CREATE INDEX ON nodes (updated_at);
  CREATE INDEX ON nodes (lost_after) WHERE lost_after IS NOT NULL;

  CREATE TABLE enrollment_tokens (
    id text COLLATE "C" PRIMARY KEY,
    token_id text COLLATE "C" NOT NULL UNIQUE,
    secret_hash bytea NOT NULL,
    preview text NOT NULL,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    label text,
    country_code text,
    declared_province text,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    consumed_node_id text COLLATE "C" REFERENCES nodes,
    consumed_public_key bytea
  );
  CREATE INDEX ON enrollment_tokens (user_id, id);
`;

const replicas = `
  CREATE TABLE replicas (
    id text COLLATE "C" PRIMARY KEY,
    started_at timestamptz NOT NULL DEFAULT now(),
    heartbeat_at timestamptz NOT NULL DEFAULT now()
  );

  CREATE TABLE server_identity (
    id integer PRIMARY KEY CHECK (id = 1),
    public_key bytea NOT NULL,
    sealed_private_key bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  );
`;

const probes = `
  CREATE TABLE probe_tasks (
    id text COLLATE "C" PRIMARY KEY,
    user_id text COLLATE "C",
    probe_type text NOT NULL,
    target text NOT NULL,
    spec json NOT NULL,
    created_at timestamptz NOT NULL
  ) PARTITION BY RANGE (id);
  CREATE INDEX ON probe_tasks (user_id, id) WHERE user_id IS NOT NULL;

  CREATE TABLE probe_node_tasks (
    id text COLLATE "C" PRIMARY KEY,
    task_id text COLLATE "C" NOT NULL,
    node_id text COLLATE "C" NOT NULL,
    probe_type text NOT NULL,
    state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'done', 'lost')),
    expires_at timestamptz NOT NULL,
    target_keys text[],
    result json,
    success boolean,
    finished_at timestamptz,
    lost_code text,
    late boolean NOT NULL DEFAULT false
  ) PARTITION BY RANGE (id);
  COMMENT ON COLUMN probe_node_tasks.target_keys IS 'keys of the per-target budget; null for exempt targets';
  CREATE INDEX ON probe_node_tasks (task_id);
  CREATE INDEX ON probe_node_tasks (node_id) WHERE state = 'pending';
  CREATE INDEX ON probe_node_tasks (expires_at) WHERE state = 'pending';
  CREATE INDEX ON probe_node_tasks USING gin (target_keys) WHERE state = 'pending' AND target_keys IS NOT NULL;

  CREATE TABLE target_buckets (
    key text PRIMARY KEY,
    tokens double precision NOT NULL,
    updated_at timestamptz NOT NULL
  );
`;

const ingest = `
  CREATE TABLE ingest_marks (
    node_id text COLLATE "C" NOT NULL,
    epoch bytea NOT NULL,
    lane smallint NOT NULL,
    mark bigint NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (node_id, epoch, lane)
  ) WITH (fillfactor = 50);

  CREATE TABLE superseded_results (
    id text COLLATE "C" PRIMARY KEY,
    node_id text COLLATE "C" NOT NULL,
    result json NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now()
  ) PARTITION BY RANGE (id);
  COMMENT ON TABLE superseded_results IS 'the second result of a node task that already had its end; no third, which only hostile nodes have';

  CREATE TABLE dead_letters (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    node_id text COLLATE "C" NOT NULL,
    epoch bytea NOT NULL,
    lane smallint NOT NULL,
    sequence bigint NOT NULL,
    code text NOT NULL,
    message text NOT NULL,
    payload bytea NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now()
  );

  CREATE TABLE spool_gaps (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    node_id text COLLATE "C" NOT NULL,
    epoch bytea NOT NULL,
    lane smallint NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    reason text NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now()
  );
`;
