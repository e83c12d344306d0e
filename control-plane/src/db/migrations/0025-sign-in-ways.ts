import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0025-sign-in-ways';

/** Second factors, passkeys, external identities, sessions of browsers, how long a session counts as fresh, and accounts that are to be erased. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    ALTER TABLE sessions
      ADD COLUMN kind text NOT NULL DEFAULT 'token',
      ADD COLUMN fresh_until timestamptz,
      ADD COLUMN token_id text COLLATE "C",
      ADD COLUMN secret_hash bytea;
    COMMENT ON COLUMN sessions.kind IS 'token: of an API client; browser: of pages, by a cookie';
    COMMENT ON COLUMN sessions.fresh_until IS 'end of the time in which it may change what protects the account; null: a sign-in without such a time';
    COMMENT ON COLUMN sessions.token_id IS 'public part of the cookie of a browser';
    COMMENT ON COLUMN sessions.methods IS 'what was proven at sign-in';

    CREATE TABLE totp_secrets (
      user_id text COLLATE "C" PRIMARY KEY REFERENCES users ON DELETE CASCADE,
      sealed_secret bytea NOT NULL,
      created_at timestamptz NOT NULL,
      enabled_at timestamptz,
      last_step bigint NOT NULL DEFAULT 0
    );
    COMMENT ON COLUMN totp_secrets.enabled_at IS 'null: set up, and not yet confirmed by a code';
    COMMENT ON COLUMN totp_secrets.last_step IS 'time step of the last code that was used: only later ones are valid (RFC 6238 section 5.2)';

    CREATE TABLE recovery_codes (
      user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
      code_hash bytea NOT NULL,
      used_at timestamptz,
      PRIMARY KEY (user_id, code_hash)
    );

    CREATE TABLE passkeys (
      id text COLLATE "C" PRIMARY KEY,
      user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
      credential_id bytea NOT NULL UNIQUE,
      public_key bytea NOT NULL,
      counter bigint NOT NULL,
      transports text[] NOT NULL DEFAULT '{}',
      name text NOT NULL,
      created_at timestamptz NOT NULL,
      last_used_at timestamptz
    );
    CREATE INDEX ON passkeys (user_id, id);

    CREATE TABLE identities (
      id text COLLATE "C" PRIMARY KEY,
      user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
      provider text COLLATE "C" NOT NULL,
      subject text COLLATE "C" NOT NULL,
      label text,
      created_at timestamptz NOT NULL,
      last_used_at timestamptz,
      UNIQUE (provider, subject)
    );
    CREATE INDEX ON identities (user_id, id);
    COMMENT ON TABLE identities IS 'accounts at external providers, by the subject that the provider gives them, never by an address';
    COMMENT ON COLUMN identities.label IS 'name or address that the provider showed last, for people';

    ALTER TABLE users ADD COLUMN deleting_at timestamptz;
    COMMENT ON COLUMN users.deleting_at IS 'when the account is erased, at its owner''s request; null: it is not';
    ALTER TABLE monitors ADD COLUMN paused_reason text;
    COMMENT ON COLUMN monitors.paused_reason IS 'account_deleting: to be resumed if the account is restored; null: its owner paused it, or it is not paused';
    ALTER TABLE nodes ADD COLUMN draining_reason text;
    COMMENT ON COLUMN nodes.draining_reason IS 'account_deleting: to be undrained if the account is restored; null: drained by an administrator, or not drained';
    CREATE OR REPLACE FUNCTION note_owner_state() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE owners SET state = CASE
        WHEN NEW.deleted_at IS NOT NULL THEN 'deleted'
        WHEN NEW.disabled_at IS NOT NULL THEN 'disabled'
        WHEN NEW.deleting_at IS NOT NULL THEN 'deleting'
        ELSE 'active' END
        WHERE id = NEW.id;
      RETURN NULL;
    END $$;
    DROP TRIGGER note_owner_state ON users;
    CREATE TRIGGER note_owner_state AFTER UPDATE OF disabled_at, deleting_at, deleted_at ON users FOR EACH ROW
      WHEN ((OLD.disabled_at, OLD.deleting_at, OLD.deleted_at) IS DISTINCT FROM (NEW.disabled_at, NEW.deleting_at, NEW.deleted_at))
      EXECUTE FUNCTION note_owner_state();
  `);
}
