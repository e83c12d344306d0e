/** Owners of everything that is owned: each user is one, with the same id, and so is each team. */
export const owners = `
  CREATE TABLE owners (
    id text COLLATE "C" PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('user', 'team')),
    plan text NOT NULL,
    state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'disabled', 'deleting', 'deleted')),
    created_at timestamptz NOT NULL DEFAULT now()
  );
  COMMENT ON COLUMN owners.state IS 'of a user it follows the row of the user';
`;

/** People and what opens their accounts; secrets are stored as hashes, private keys sealed. */
export const accounts = `
  CREATE TABLE users (
    id text COLLATE "C" PRIMARY KEY REFERENCES owners,
    email text UNIQUE CHECK (email = lower(email)),
    role text NOT NULL CHECK (role IN ('user', 'admin')),
    password_hash text,
    created_at timestamptz NOT NULL DEFAULT now(),
    email_verified_at timestamptz,
    display_name text,
    bio text,
    avatar_url text,
    locale text NOT NULL DEFAULT 'en' CHECK (locale IN ('cn', 'en', 'tw')),
    timezone text NOT NULL DEFAULT 'UTC',
    theme text NOT NULL DEFAULT 'system' CHECK (theme IN ('system', 'light', 'dark')),
    disabled_at timestamptz,
    deleted_at timestamptz,
    password_changed_at timestamptz,
    proven_at timestamptz
  );
  COMMENT ON COLUMN users.email IS 'null once the account is deleted: the address is free again';
  COMMENT ON COLUMN users.proven_at IS 'when one person was known to have both the address and the credentials; null: not known';

  CREATE FUNCTION note_owner_state() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE owners SET state =
      CASE WHEN NEW.deleted_at IS NOT NULL THEN 'deleted' WHEN NEW.disabled_at IS NOT NULL THEN 'disabled' ELSE 'active' END
      WHERE id = NEW.id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER note_owner_state AFTER UPDATE OF disabled_at, deleted_at ON users FOR EACH ROW
    WHEN ((OLD.disabled_at, OLD.deleted_at) IS DISTINCT FROM (NEW.disabled_at, NEW.deleted_at))
    EXECUTE FUNCTION note_owner_state();

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
  COMMENT ON TABLE sign_in_failures IS
    'wrong passwords in a row, by network, by account and network, and by account; keys are hashes';

  CREATE TABLE sign_in_passes (
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    network text COLLATE "C" NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, network)
  );
  CREATE INDEX ON sign_in_passes (expires_at);
  COMMENT ON TABLE sign_in_passes IS 'networks exempt from the waits of an account as a whole: its owner was reached by mail';
  COMMENT ON COLUMN sign_in_passes.network IS 'a hash';

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

  CREATE TABLE api_keys (
    id text COLLATE "C" PRIMARY KEY,
    token_id text COLLATE "C" NOT NULL UNIQUE,
    secret_hash bytea NOT NULL,
    owner_id text COLLATE "C" NOT NULL REFERENCES owners ON DELETE CASCADE,
    created_by text COLLATE "C" NOT NULL REFERENCES users,
    name text NOT NULL,
    type text NOT NULL CHECK (type IN ('production', 'test')),
    scopes text[] NOT NULL,
    allowed_origins text[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz
  );
  COMMENT ON COLUMN api_keys.created_by IS 'the user who created it, and so the creator of everything created with it';
  CREATE INDEX ON api_keys (owner_id, id);

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
  COMMENT ON COLUMN sessions.methods IS 'methods of authentication: password, later other factors';
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
  COMMENT ON TABLE refresh_tokens IS 'one row of a session is not replaced: its live token; the use of any other ends the session';
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
  COMMENT ON TABLE challenges IS 'proofs that were requested and are outstanding: an address, a reset, later a second factor';
  COMMENT ON COLUMN challenges.recipient_hash IS 'hash of the address it was mailed to: counts even after the account was deleted';
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
  COMMENT ON COLUMN signing_keys.retired_at IS 'when it stopped signing; it is published until everything it signed has expired';
`;
