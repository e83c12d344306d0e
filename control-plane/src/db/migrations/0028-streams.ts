import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0028-streams';

/** Events stay for an hour, and are read by owner. States of monitors tell when they changed. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    COMMENT ON TABLE outbox IS 'events, from the transaction in which they happened for an hour, and until every consumer has handled them';

    ALTER TABLE monitor_states ADD COLUMN touched_at timestamptz NOT NULL DEFAULT now();
    COMMENT ON COLUMN monitor_states.touched_at IS 'when the state was last changed, by the clock of the database';
    CREATE FUNCTION note_touched() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.touched_at := clock_timestamp();
      RETURN NEW;
    END $$;
    CREATE TRIGGER note_touched BEFORE UPDATE ON monitor_states FOR EACH ROW
      WHEN ((OLD.health, OLD.changed_at, OLD.failing_nodes) IS DISTINCT FROM (NEW.health, NEW.changed_at, NEW.failing_nodes))
      EXECUTE FUNCTION note_touched();
  `);
}
