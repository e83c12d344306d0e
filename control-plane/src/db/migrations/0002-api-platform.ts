import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0002-api-platform';

/** Profiles, sessions, API keys, challenges, the audit log, rate limits, idempotency keys and signing keys. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(users);
  await trx.raw(credentials);
  await trx.raw(audit);
  await trx.raw(limits);
  await trx.raw(probes);
}

const users = `
  ALTER TABLE users
    ALTER COLUMN email DROP NOT NULL,
    ADD COLUMN email_verified_at timestamptz,
    ADD COLUMN display_name text,
    ADD COLUMN bio text,
    ADD COLUMN avatar_url text,
    ADD COLUMN locale text NOT NULL DEFAULT 'en' CHECK (locale IN ('cn', 'en', 'tw')),
    ADD COLUMN timezone text NOT NULL DEFAULT 'UTC',
    ADD COLUMN theme text NOT NULL DEFAULT 'system' CHECK (theme IN ('system', 'light', 'dark')),
    ADD COLUMN disabled_at timestamptz,
    ADD COLUMN deleted_at timestamptz,
    ADD COLUMN password_changed_at timestamptz;
  -- the operator made them all
  UPDATE users SET email_verified_at = created_at;
  COMMENT ON COLUMN users.email IS 'null once the account is deleted: the address is free again';

  CREATE TABLE password_history (
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    password_hash text NOT NULL,
    replaced_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX ON password_history (user_id, replaced_at);

  CREATE TABLE sign_in_failures (
    key text COLLATE "C" PRIMARY KEY,
    failures integer NOT NULL,
    blocked_until timestamptz,
    failed_at timestamptz NOT NULL
  );
  CREATE INDEX ON sign_in_failures (failed_at);
  COMMENT ON TABLE sign_in_failures IS 'wrong passwords in a row, by account and by address; keys are hashes';
`;

const credentials = `
  CREATE TABLE api_keys (
    id text COLLATE "C" PRIMARY KEY,
    token_id text COLLATE "C" NOT NULL UNIQUE,
    secret_hash bytea NOT NULL,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    name text NOT NULL,
    type text NOT NULL CHECK (type IN ('production', 'test')),
    scopes text[] NOT NULL,
    allowed_origins text[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz
  );
  CREATE INDEX ON api_keys (user_id, id);

  CREATE TABLE sessions (
    id text COLLATE "C" PRIMARY KEY,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    methods text[] NOT NULL,
    address text NOT NULL,
    user_agent text,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    revoke_reason text
  );
  COMMENT ON COLUMN sessions.methods IS 'how the person proved themselves: password, and whatever factors there will be';
  CREATE INDEX ON sessions (user_id, id);
  CREATE INDEX ON sessions (expires_at);
  CREATE INDEX ON sessions (revoked_at) WHERE revoked_at IS NOT NULL;

  CREATE TABLE refresh_tokens (
    token_id text COLLATE "C" PRIMARY KEY,
    secret_hash bytea NOT NULL,
    session_id text COLLATE "C" NOT NULL REFERENCES sessions ON DELETE CASCADE,
    created_at timestamptz NOT NULL,
    replaced_at timestamptz,
    replaced_by text COLLATE "C"
  );
  COMMENT ON TABLE refresh_tokens IS 'one row of a session is not replaced: its live token; using another one ends the session';
  CREATE INDEX ON refresh_tokens (session_id);
  CREATE INDEX ON refresh_tokens (replaced_at) WHERE replaced_at IS NOT NULL;

  CREATE TABLE challenges (
    id text COLLATE "C" PRIMARY KEY,
    kind text NOT NULL,
    token_id text COLLATE "C" UNIQUE,
    secret_hash bytea,
    user_id text COLLATE "C" REFERENCES users ON DELETE CASCADE,
    recipient_hash bytea,
    data jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    consumed_at timestamptz
  );
  COMMENT ON TABLE challenges IS 'what somebody was asked to prove and has not yet: an address, a reset, later a second factor';
  COMMENT ON COLUMN challenges.recipient_hash IS 'of the address it was mailed to: counts also when the account is gone';
  CREATE INDEX ON challenges (user_id, kind);
  CREATE INDEX ON challenges (recipient_hash, created_at);
  CREATE INDEX ON challenges (expires_at);

  CREATE TABLE signing_keys (
    kid text COLLATE "C" PRIMARY KEY,
    public_key bytea NOT NULL,
    sealed_private_key bytea NOT NULL,
    created_at timestamptz NOT NULL,
    retired_at timestamptz
  );
  COMMENT ON COLUMN signing_keys.retired_at IS 'signs nothing more; still published until what it signed has expired';
`;

const audit = `
  -- no release wrote it
  DROP TABLE audit_log;
  CREATE TABLE audit_log (
    id text COLLATE "C" PRIMARY KEY,
    at timestamptz NOT NULL,
    account_id text COLLATE "C",
    user_id text COLLATE "C",
    credential_id text,
    address text,
    action text NOT NULL,
    subject text NOT NULL,
    details jsonb NOT NULL DEFAULT '{}',
    request_id text
  );
  COMMENT ON COLUMN audit_log.account_id IS 'whose log it is in; user_id is who did it';
  CREATE INDEX ON audit_log (account_id, id);
`;

const limits = `
  CREATE TABLE rate_windows (
    key text COLLATE "C" PRIMARY KEY,
    window_start timestamptz NOT NULL,
    window_end timestamptz NOT NULL,
    used bigint NOT NULL,
    granted bigint NOT NULL
  ) WITH (fillfactor = 50);
  COMMENT ON TABLE rate_windows IS 'what replicas took of each limit in the window that runs';
  COMMENT ON COLUMN rate_windows.granted IS 'portions the last statement got, for it to return';
  CREATE INDEX ON rate_windows (window_end);

  CREATE TABLE idempotency_keys (
    key_hash bytea PRIMARY KEY,
    fingerprint bytea NOT NULL,
    claim bytea NOT NULL,
    sealed_response bytea,
    created_at timestamptz NOT NULL,
    locked_until timestamptz NOT NULL
  );
  COMMENT ON TABLE idempotency_keys IS 'sealed_response null: the first request still runs';
  COMMENT ON COLUMN idempotency_keys.claim IS 'who may store the response: random, new whenever the row is taken';
  CREATE INDEX ON idempotency_keys (created_at);
`;

const probes = `
  ALTER TABLE probe_tasks ADD COLUMN is_test boolean NOT NULL DEFAULT false;
`;
