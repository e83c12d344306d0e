import type { Knex } from 'knex';

/** Number of statements in this database that wait for a lock. */
export async function lockWaits(db: Knex): Promise<number> {
  const { rows } = await db.raw<{ rows: object[] }>(
    `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows.length;
}
