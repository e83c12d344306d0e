import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0003-webhooks';

// webhook_endpoints ──1:1── webhook_queues          when the endpoint is due, and how sending to it goes
//        │ 1:n (no foreign key)
// webhook_deliveries ──n:1── webhook_events         by day; dropped after 30 days
//        │ 1:0..1 (no foreign key)
// webhook_waiting ──1:0..1── webhook_leases         what is still to be sent; what a replica sends, for a minute
//
// Deliveries, events and what is to be sent are written by the thousand and have no foreign keys. Claims read and write the small
// tables alone; the log gets a row when an event happens, and an update for each attempt.

/** Webhook endpoints, what is sent to them, and what was. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    CREATE TABLE webhook_endpoints (
      id text COLLATE "C" PRIMARY KEY,
      owner_id text COLLATE "C" NOT NULL REFERENCES owners ON DELETE CASCADE,
      created_by text COLLATE "C" NOT NULL REFERENCES users,
      is_test boolean NOT NULL DEFAULT false,
      url text NOT NULL,
      events text[] NOT NULL,
      description text,
      status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused', 'disabled')),
      disabled_reason text CHECK (disabled_reason IN ('failing', 'gone')),
      disabled_at timestamptz,
      payload text NOT NULL CHECK (payload IN ('full', 'thin')),
      monitor_ids text[],
      tags_any text[],
      header_names text[] NOT NULL DEFAULT '{}',
      sealed_headers bytea,
      sealed_secret bytea NOT NULL,
      secret_hint text NOT NULL,
      sealed_previous_secret bytea,
      previous_secret_expires_at timestamptz,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    );
    CREATE UNIQUE INDEX ON webhook_endpoints (owner_id, id);
    COMMENT ON COLUMN webhook_endpoints.sealed_headers IS 'JSON of name -> value; null: none';
    COMMENT ON COLUMN webhook_endpoints.monitor_ids IS 'only events of these monitors; null: of all';

    CREATE TABLE webhook_queues (
      endpoint_id text COLLATE "C" PRIMARY KEY REFERENCES webhook_endpoints ON DELETE CASCADE,
      host text NOT NULL,
      due_at timestamptz,
      is_slow boolean NOT NULL DEFAULT false,
      failing_since timestamptz,
      failing_event text COLLATE "C",
      has_failed_again boolean NOT NULL DEFAULT false,
      warned_at timestamptz,
      last_success_at timestamptz,
      last_failure_at timestamptz
    ) WITH (fillfactor = 50);
    CREATE INDEX ON webhook_queues (due_at) WHERE due_at IS NOT NULL;
    COMMENT ON COLUMN webhook_queues.host IS 'host name in the URL of the endpoint';
    COMMENT ON COLUMN webhook_queues.due_at IS 'when something may be sent at the earliest; null: nothing waits';
    COMMENT ON COLUMN webhook_queues.is_slow IS 'the last attempt brought no response';
    COMMENT ON COLUMN webhook_queues.failing_event IS 'the first event that failed since the last success';
    COMMENT ON COLUMN webhook_queues.has_failed_again IS 'another event has failed, twelve hours later at least';

    CREATE TABLE webhook_events (
      id text COLLATE "C" PRIMARY KEY,
      owner_id text COLLATE "C" NOT NULL,
      kind text NOT NULL,
      subject text COLLATE "C" NOT NULL,
      sequence bigint NOT NULL,
      is_test boolean NOT NULL,
      at timestamptz NOT NULL,
      data bytea NOT NULL
    ) PARTITION BY RANGE (id);
    CREATE INDEX ON webhook_events (owner_id);
    COMMENT ON COLUMN webhook_events.data IS 'JSON in the full form, deflated (RFC 1951)';

    CREATE TABLE webhook_deliveries (
      id text COLLATE "C" PRIMARY KEY,
      owner_id text COLLATE "C" NOT NULL,
      endpoint_id text COLLATE "C" NOT NULL,
      event_id text COLLATE "C" NOT NULL,
      kind text NOT NULL,
      subject text COLLATE "C" NOT NULL,
      sequence bigint NOT NULL,
      payload text NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'retrying', 'delivered', 'failed', 'skipped')),
      due_at timestamptz,
      attempt_count smallint NOT NULL DEFAULT 0,
      attempts jsonb NOT NULL DEFAULT '[]',
      redelivery_of text COLLATE "C",
      created_at timestamptz NOT NULL,
      finished_at timestamptz
    ) PARTITION BY RANGE (id);
    CREATE INDEX ON webhook_deliveries (owner_id, endpoint_id, id);
    CREATE INDEX ON webhook_deliveries (owner_id, endpoint_id, id) WHERE status = 'failed';
    CREATE INDEX ON webhook_deliveries (event_id);
    COMMENT ON COLUMN webhook_deliveries.due_at IS 'when it may be sent, as in webhook_waiting; null: it is not to be sent any more';

    CREATE TABLE webhook_waiting (
      delivery_id text COLLATE "C" PRIMARY KEY,
      endpoint_id text COLLATE "C" NOT NULL,
      subject text COLLATE "C" NOT NULL,
      sequence bigint NOT NULL,
      lane text NOT NULL CHECK (lane IN ('new', 'retry', 'recovery')),
      due_at timestamptz NOT NULL
    ) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
    CREATE INDEX ON webhook_waiting (endpoint_id, sequence) WHERE lane = 'new';
    CREATE INDEX ON webhook_waiting (endpoint_id, lane, due_at) WHERE lane <> 'new';

    CREATE TABLE webhook_leases (
      delivery_id text COLLATE "C" PRIMARY KEY,
      endpoint_id text COLLATE "C" NOT NULL,
      leased_until timestamptz NOT NULL
    ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
    CREATE INDEX ON webhook_leases (endpoint_id, leased_until);
    COMMENT ON TABLE webhook_leases IS 'deliveries that a replica sends';
  `);
}
