import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0011-node-vitals';

/** What heartbeats told: a table of its own, since every change of a node's row is news to every replica. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    CREATE UNLOGGED TABLE node_vitals (
      node_id text COLLATE "C" PRIMARY KEY,
      seen_at timestamptz NOT NULL,
      spool jsonb NOT NULL
    );
    COMMENT ON TABLE node_vitals IS 'the newest heartbeat of a node that was noted, at most once a minute; may be lost in a crash';
    COMMENT ON COLUMN node_vitals.spool IS '{rows, bytes, oldestMs, dropped, problem}, its own word';
  `);
}
