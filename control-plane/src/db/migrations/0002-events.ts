import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0002-events';

/** Events have ids of their own, and wait until every consumer has them. What waits from before has no consumer. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    DELETE FROM outbox;
    ALTER TABLE outbox ADD COLUMN event_id text COLLATE "C" NOT NULL UNIQUE;
    DROP INDEX outbox_created_at_idx;
    COMMENT ON TABLE outbox IS 'events, from the transaction in which they happened until every consumer has handled them';
    COMMENT ON COLUMN outbox.id IS 'sequence: rises per subject; not in the order of commits';

    CREATE TABLE event_subscriptions (
      consumer text COLLATE "C" NOT NULL,
      kind text COLLATE "C" NOT NULL,
      announced_at timestamptz NOT NULL,
      PRIMARY KEY (consumer, kind)
    );
    COMMENT ON TABLE event_subscriptions IS 'consumers that get a mark of events of a kind; each replica announces its consumers every hour';

    CREATE TABLE outbox_marks (
      consumer text COLLATE "C" NOT NULL,
      subject text COLLATE "C" NOT NULL,
      event bigint NOT NULL,
      attempts smallint NOT NULL DEFAULT 0,
      due_at timestamptz NOT NULL DEFAULT now(),
      dead_at timestamptz,
      PRIMARY KEY (consumer, subject, event)
    );
    COMMENT ON TABLE outbox_marks IS 'events that a consumer has yet to handle';
    COMMENT ON COLUMN outbox_marks.dead_at IS 'when it was set aside; null: it was not';
    CREATE INDEX ON outbox_marks (consumer, event) WHERE dead_at IS NULL;
    CREATE INDEX ON outbox_marks (event);

    CREATE TABLE node_presence (
      node_id text COLLATE "C" PRIMARY KEY,
      is_online boolean NOT NULL
    );
    COMMENT ON TABLE node_presence IS 'last published state of a node: online or offline';

    ALTER TABLE monitor_states ADD COLUMN no_data_at timestamptz;
    COMMENT ON COLUMN monitor_states.no_data_at IS 'when the lack of data of the monitor was published; null: it was not, or data exists';
    CREATE INDEX ON monitor_states (changed_at) WHERE health = 'unknown' AND no_data_at IS NULL;

    CREATE TABLE expiry_notices (
      monitor_id text COLLATE "C" NOT NULL REFERENCES monitors ON DELETE CASCADE,
      expires_at timestamptz NOT NULL,
      threshold_days integer NOT NULL,
      PRIMARY KEY (monitor_id, expires_at, threshold_days)
    );
    COMMENT ON TABLE expiry_notices IS 'published notices of certificates and domains that expire';
  `);
}
