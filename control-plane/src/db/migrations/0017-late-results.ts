import type { Knex } from 'knex';

// late_checks is a queue: each row says of a range of time that checks of it came when they were no longer applied, so that closed
// events may be wrong. Storing appends to it; any replica takes all rows of a monitor at once.
//
//   checks that come late ──> late_checks ──> replay of the range ──> closed events

/** Name in the table of applied migrations. */
export const name = '0017-late-results';

/** What it takes to correct closed events by checks that come late, to be quiet of what flaps, and to tell of a node's own network. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    CREATE TABLE late_checks (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      monitor_id text COLLATE "C" NOT NULL,
      from_at timestamptz NOT NULL,
      to_at timestamptz NOT NULL,
      noted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      due_at timestamptz NOT NULL DEFAULT clock_timestamp() + interval '15 s'
    );
    COMMENT ON COLUMN late_checks.due_at IS 'more of the same usually follows at once';
    CREATE INDEX ON late_checks (due_at, id);
    CREATE INDEX ON late_checks (monitor_id);

    ALTER TABLE monitor_events
      ADD COLUMN was_told boolean NOT NULL DEFAULT true,
      ADD COLUMN disputed boolean NOT NULL DEFAULT false;
    COMMENT ON COLUMN monitor_events.was_told IS 'false: checks that came late made it, and nobody was told';
    COMMENT ON COLUMN monitor_events.disputed IS 'checks that came late deny it; it stays since people were told';

    ALTER TABLE monitor_states
      ADD COLUMN is_flapping boolean NOT NULL DEFAULT false,
      ADD COLUMN same_rule_since timestamptz NOT NULL DEFAULT now();
    CREATE INDEX flapping_monitors ON monitor_states (monitor_id) WHERE is_flapping;
    COMMENT ON COLUMN monitor_states.is_flapping IS 'its owner knows, and is told of single events no more';
    COMMENT ON COLUMN monitor_states.same_rule_since IS 'checks from before were of something else, or judged by another rule';
    CREATE FUNCTION note_monitor_rule() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE monitor_states SET same_rule_since = clock_timestamp() WHERE monitor_id = NEW.id;
      RETURN NULL;
    END $$;
    CREATE TRIGGER note_monitor_rule AFTER UPDATE ON monitors FOR EACH ROW
      WHEN ((OLD.target, OLD.interval_s, OLD.config, OLD.consecutive_fail, OLD.consecutive_ok, OLD.fail_node_quorum)
        IS DISTINCT FROM (NEW.target, NEW.interval_s, NEW.config, NEW.consecutive_fail, NEW.consecutive_ok, NEW.fail_node_quorum))
      EXECUTE FUNCTION note_monitor_rule();

    CREATE TABLE node_uplink_losses (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      node_id text COLLATE "C" NOT NULL,
      first_at timestamptz NOT NULL,
      last_at timestamptz NOT NULL,
      noted_at timestamptz NOT NULL DEFAULT clock_timestamp()
    );
    COMMENT ON TABLE node_uplink_losses IS 'when nodes could reach nothing themselves: slots of all of their monitors, less than an hour apart';
    CREATE INDEX ON node_uplink_losses (node_id, last_at);
    COMMENT ON COLUMN nodes.boot_seen_at IS 'first hello with this boot_id: slots from before may have been told by another process; null: not known';
  `);
}
