import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0007-newest-states';

/** The newest state of everything that nodes watch, told before their backlogs. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    CREATE TABLE newest_states (
      node_id text COLLATE "C" NOT NULL,
      kind text COLLATE "C" NOT NULL,
      subject text COLLATE "C" NOT NULL,
      generation bigint NOT NULL,
      slot_ms bigint NOT NULL,
      body json NOT NULL,
      stored_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (node_id, kind, subject)
    );
    COMMENT ON TABLE newest_states IS 'one row per node and subject: of two states the one with the newer slot stays';
    COMMENT ON COLUMN newest_states.slot_ms IS 'when the check was due, server time, milliseconds since the epoch';
  `);
}
