import type { Knex } from 'knex';

/** Days for which failures of results are kept for inspection. */
const FAULT_DAYS = 90;
/**
 * Days after which no node comes back with an older spool; its results would be a month past the retention of a spool.
 */
const SPOOL_DAYS = 30;

/**
 * Deletes dead letters and declared gaps after 90 days. Deletes after 30 days newest states that were not reported
 * again, marks of spools that the node has replaced, and the marks and newest states of deleted nodes.
 */
export async function deleteOldIngestRecords(db: Knex): Promise<void> {
  for (const table of ['dead_letters', 'spool_gaps']) {
    await db.raw(`DELETE FROM ${table} WHERE received_at < now() - ? * interval '1 day'`, [FAULT_DAYS]);
  }
  await db.raw(
    `DELETE FROM ingest_marks m
     WHERE updated_at < now() - :days * interval '1 day'
       AND EXISTS (SELECT FROM ingest_marks n WHERE n.node_id = m.node_id AND n.epoch <> m.epoch AND n.updated_at > m.updated_at)`,
    { days: SPOOL_DAYS },
  );
  // a node reports the states of its monitors again, at the latest when it links again
  await db.raw(`DELETE FROM newest_states WHERE stored_at < now() - ? * interval '1 day'`, [SPOOL_DAYS]);
  const gone = `node_id IN (SELECT id FROM nodes WHERE deleted_at < now() - ? * interval '1 day')`;
  for (const table of ['ingest_marks', 'newest_states']) {
    await db.raw(`DELETE FROM ${table} WHERE ${gone}`, [SPOOL_DAYS]);
  }
}
