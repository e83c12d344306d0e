import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0004-alert-channels';

/** Channels of alerts, their recipients, and the messages that go to them. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    CREATE TABLE alert_channels (
      id text COLLATE "C" PRIMARY KEY,
      owner_id text COLLATE "C" NOT NULL REFERENCES owners ON DELETE CASCADE,
      created_by text COLLATE "C" NOT NULL REFERENCES users,
      is_test boolean NOT NULL,
      name text NOT NULL,
      type text NOT NULL,
      config jsonb NOT NULL,
      sealed_secrets bytea,
      is_enabled boolean NOT NULL DEFAULT true,
      is_default boolean NOT NULL DEFAULT false,
      locale text CHECK (locale IN ('cn', 'en', 'tw')),
      timezone text,
      max_per_minute integer,
      template jsonb,
      verified_at timestamptz,
      health text NOT NULL DEFAULT 'unknown' CHECK (health IN ('unknown', 'ok', 'failing')),
      health_since timestamptz,
      failed_since timestamptz,
      last_error text,
      last_sent_at timestamptz,
      warned_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (owner_id, name)
    );
    COMMENT ON COLUMN alert_channels.config IS 'asterisks in place of secrets; empty for the default channel, which follows the account';
    COMMENT ON COLUMN alert_channels.template IS 'texts of the owner in place of the default ones; null: none';
    COMMENT ON COLUMN alert_channels.verified_at IS 'first accepted message, for types without recipients';
    COMMENT ON COLUMN alert_channels.failed_since IS 'since when no attempt has succeeded; null: the last one did';
    COMMENT ON COLUMN alert_channels.warned_at IS 'last mail to the owner about a failing channel';
    CREATE UNIQUE INDEX ON alert_channels (owner_id) WHERE is_default;

    CREATE TABLE alert_recipients (
      channel_id text COLLATE "C" NOT NULL REFERENCES alert_channels ON DELETE CASCADE,
      address text COLLATE "C" NOT NULL,
      verified_at timestamptz,
      unsubscribed_at timestamptz,
      code_hash bytea,
      code_expires_at timestamptz,
      code_tries smallint NOT NULL DEFAULT 0,
      PRIMARY KEY (channel_id, address)
    );
    COMMENT ON COLUMN alert_recipients.code_hash IS 'keyed hash of the verification code; null: none was sent, or it was used';

    CREATE FUNCTION create_default_alert_channel() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO alert_channels (id, owner_id, created_by, is_test, name, type, config, is_default, created_at, updated_at)
        VALUES ('ch_' || substr(NEW.id, 3), NEW.id, NEW.id, false, 'Account e-mail', 'email', '{}', true, NEW.created_at, NEW.created_at);
      RETURN NULL;
    END $$;
    CREATE TRIGGER create_default_alert_channel AFTER INSERT ON users FOR EACH ROW
      EXECUTE FUNCTION create_default_alert_channel();
    INSERT INTO alert_channels (id, owner_id, created_by, is_test, name, type, config, is_default)
      SELECT 'ch_' || substr(id, 3), id, id, false, 'Account e-mail', 'email', '{}', true FROM users WHERE deleted_at IS NULL;

    CREATE TABLE alert_deliveries (
      id text COLLATE "C" PRIMARY KEY,
      owner_id text COLLATE "C" NOT NULL,
      is_test boolean NOT NULL,
      channel_id text COLLATE "C" NOT NULL,
      channel_name text NOT NULL,
      type text NOT NULL,
      recipient text,
      kind text NOT NULL,
      alert_ids text[] COLLATE "C" NOT NULL,
      alert_count integer NOT NULL,
      message_group text COLLATE "C" NOT NULL,
      thread text COLLATE "C" NOT NULL,
      priority smallint NOT NULL,
      title text NOT NULL,
      text text NOT NULL,
      message bytea NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'sending', 'retrying', 'sent', 'dead', 'dropped')),
      reason text,
      attempts jsonb NOT NULL DEFAULT '[]',
      tries integer NOT NULL DEFAULT 0,
      is_plain boolean NOT NULL DEFAULT false,
      is_fallback boolean NOT NULL DEFAULT false,
      may_have_arrived boolean NOT NULL DEFAULT false,
      provider_id text,
      next_attempt_at timestamptz,
      created_at timestamptz NOT NULL,
      finished_at timestamptz
    ) PARTITION BY RANGE (id);
    COMMENT ON TABLE alert_deliveries IS 'messages to channels: one for each channel, and for each recipient where a type has recipients';
    COMMENT ON COLUMN alert_deliveries.message IS 'sealed: links in it act for anyone who has them';
    COMMENT ON COLUMN alert_deliveries.message_group IS 'the same for one message to several channels';
    COMMENT ON COLUMN alert_deliveries.priority IS 'lowest first';
    COMMENT ON COLUMN alert_deliveries.may_have_arrived IS 'a request was sent, and its response is unknown';
    CREATE INDEX ON alert_deliveries (channel_id, priority, id) WHERE finished_at IS NULL;
    CREATE INDEX ON alert_deliveries (channel_id, next_attempt_at) WHERE finished_at IS NULL;
    CREATE INDEX ON alert_deliveries (channel_id, thread, id) WHERE finished_at IS NULL;
    CREATE INDEX ON alert_deliveries (owner_id, id);
    CREATE INDEX ON alert_deliveries (channel_id, id);
    -- few beside those that were sent, which fill every page of the log
    CREATE INDEX ON alert_deliveries (owner_id, status, id) WHERE status <> 'sent';
    CREATE INDEX ON alert_deliveries (message_group);

    CREATE TABLE alert_lanes (
      channel_id text COLLATE "C" PRIMARY KEY,
      owner_id text COLLATE "C" NOT NULL,
      due_at timestamptz,
      held_until timestamptz,
      lease text COLLATE "C",
      leased_until timestamptz
    );
    COMMENT ON TABLE alert_lanes IS 'channels with messages that wait; the holder of the lease sends one of them';
    COMMENT ON COLUMN alert_lanes.due_at IS 'when the next message may go; null: none waits';
    COMMENT ON COLUMN alert_lanes.held_until IS 'when the channel takes messages again; null: it does';
    CREATE INDEX ON alert_lanes (due_at) WHERE due_at IS NOT NULL;

    CREATE TABLE alert_buckets (
      key text COLLATE "C" PRIMARY KEY,
      taken bigint[] NOT NULL DEFAULT '{}',
      taken_at timestamptz NOT NULL
    );
    COMMENT ON TABLE alert_buckets IS 'messages of late by channel, credential or recipient, shared by all replicas';
    COMMENT ON COLUMN alert_buckets.key IS 'a keyed hash';
    COMMENT ON COLUMN alert_buckets.taken IS 'milliseconds since the epoch, oldest first';
    CREATE INDEX ON alert_buckets (taken_at);

    CREATE TABLE alert_threads (
      channel_id text COLLATE "C" NOT NULL,
      thread text COLLATE "C" NOT NULL,
      recipient text COLLATE "C" NOT NULL,
      provider_id text NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (channel_id, thread, recipient)
    );
    COMMENT ON TABLE alert_threads IS 'first message of each thread on a channel, for replies to it';
    COMMENT ON COLUMN alert_threads.recipient IS 'empty for types without recipients';
    CREATE INDEX ON alert_threads (created_at);

    CREATE TABLE alert_fallbacks (
      message_group text COLLATE "C" PRIMARY KEY,
      owner_id text COLLATE "C" NOT NULL,
      due_at timestamptz NOT NULL
    );
    COMMENT ON TABLE alert_fallbacks IS 'firing messages that go to the address of the account unless a channel accepts them in time';
    CREATE INDEX ON alert_fallbacks (due_at);

    CREATE TABLE alert_usage (
      owner_id text COLLATE "C" NOT NULL,
      quota text NOT NULL,
      month date NOT NULL,
      used integer NOT NULL,
      PRIMARY KEY (owner_id, quota, month)
    );
    COMMENT ON TABLE alert_usage IS 'messages that count toward a number of the plan';
    COMMENT ON COLUMN alert_usage.month IS 'its first day, UTC';
  `);
}
