import type { Knex } from 'knex';

/** Takes monitors to be placed; they are due again when the transaction fails. */
export async function claimPlacementDue(trx: Knex, limit: number): Promise<string[]> {
  const { rows } = await trx.raw<{ rows: { monitor_id: string }[] }>(
    `DELETE FROM placement_due WHERE id = ANY(ARRAY(
       SELECT id FROM placement_due WHERE due_at <= clock_timestamp() ORDER BY due_at, id LIMIT ? FOR UPDATE SKIP LOCKED
     )) RETURNING monitor_id`,
    [limit],
  );
  return [...new Set(rows.map(({ monitor_id }) => monitor_id))].sort();
}

/** Monitors that these nodes have. */
export async function queueMonitorsOf(db: Knex, nodeIds: readonly string[]): Promise<void> {
  if (nodeIds.length === 0) return;
  await db.raw(
    `INSERT INTO placement_due (monitor_id)
     SELECT DISTINCT monitor_id FROM monitor_assignments WHERE node_id = ANY(?) AND ended_at IS NULL`,
    [[...nodeIds]],
  );
}

/** Monitors that fewer nodes check than should, or nodes that are not there. */
export async function queueShort(db: Knex): Promise<void> {
  await db.raw(
    `INSERT INTO placement_due (monitor_id)
     SELECT m.id FROM monitors m
     LEFT JOIN monitor_assignments a ON a.monitor_id = m.id AND a.ended_at IS NULL
     LEFT JOIN nodes n ON n.id = a.node_id
     WHERE m.status = 'active'
     GROUP BY m.id, m.node_count
     HAVING count(a.node_id) FILTER (
       WHERE n.session_id IS NOT NULL AND n.banned_at IS NULL AND n.quarantined_at IS NULL AND n.draining_at IS NULL
     ) < m.node_count`,
  );
}

/** The account that a monitor's nodes are chosen for; null: the monitor is gone. */
export async function findOwner(
  trx: Knex,
  monitorId: string,
): Promise<{ userId: string; isAdmin: boolean; isTest: boolean } | null> {
  const { rows } = await trx.raw<{ rows: { id: string; role: string; is_test: boolean }[] }>(
    'SELECT u.id, u.role, m.is_test FROM monitors m JOIN users u ON u.id = m.user_id WHERE m.id = ?',
    [monitorId],
  );
  const [row] = rows;
  return row === undefined ? null : { userId: row.id, isAdmin: row.role === 'admin', isTest: row.is_test };
}
