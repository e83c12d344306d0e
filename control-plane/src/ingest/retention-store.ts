import type { Knex } from 'knex';

/** Days that what went wrong with results stays to be looked at. */
const FAULT_DAYS = 90;
/** Days after which nobody comes back with an older spool; its results would be a month past what a spool keeps. */
const SPOOL_DAYS = 30;

/**
 * Deletes dead letters and declared gaps after 90 days, and, 30 days later, marks of spools that another one of their node
 * replaced, with the marks and newest states of nodes that were deleted.
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
  const gone = `node_id IN (SELECT id FROM nodes WHERE deleted_at < now() - ? * interval '1 day')`;
  for (const table of ['ingest_marks', 'newest_states']) {
    await db.raw(`DELETE FROM ${table} WHERE ${gone}`, [SPOOL_DAYS]);
  }
}
