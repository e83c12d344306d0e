import type { Knex } from 'knex';
import { queryPrepared } from './prepared.js';

/** Tables whose rows wait until their `due_at`, each with an index on it. */
export type DueTable =
  | 'alert_bundles'
  | 'alert_data_waits'
  | 'alert_due'
  | 'alert_node_waits'
  | 'heartbeats'
  | 'maintenance_windows'
  | 'monitor_due';

/**
 * True if any of the tables has a row that is due, by the clock of the database if `now` is null. One statement, where a
 * transaction that finds nothing is three.
 */
export async function hasDueRows(
  db: Knex,
  [first, ...more]: readonly [DueTable, ...DueTable[]],
  now: Date | null,
): Promise<boolean> {
  const tables = [first, ...more];
  const ofTables = tables.map((table) => `EXISTS (SELECT FROM ${table} WHERE due_at <= t.now)`);
  const text = `SELECT ${ofTables.join(' OR ')} AS has_due FROM (SELECT coalesce($1::timestamptz, clock_timestamp())) AS t(now)`;
  const [row] = await queryPrepared<{ has_due: boolean }>(db, { name: `due-rows-${first}-${tables.length}`, text }, [
    now,
  ]);
  return row?.has_due === true;
}
