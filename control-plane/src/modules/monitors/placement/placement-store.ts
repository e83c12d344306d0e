import type { Knex } from 'knex';

/** Claims monitors to be placed; they are due again if the transaction fails. */
export async function claimPlacementDue(trx: Knex, limit: number): Promise<string[]> {
  const { rows } = await trx.raw<{ rows: { monitor_id: string }[] }>(
    `DELETE FROM placement_due WHERE id = ANY(ARRAY(
       SELECT id FROM placement_due WHERE due_at <= clock_timestamp() ORDER BY due_at, id LIMIT ? FOR UPDATE SKIP LOCKED
     )) RETURNING monitor_id`,
    [limit],
  );
  return [...new Set(rows.map(({ monitor_id }) => monitor_id))].sort();
}

/** Queues these monitors. */
export async function queuePlacement(trx: Knex, ids: readonly string[]): Promise<void> {
  await trx.raw('INSERT INTO placement_due (monitor_id) SELECT unnest(?::text[])', [[...ids]]);
}

/** Queues the monitors that these nodes have. */
export async function queueMonitorsOf(db: Knex, nodeIds: readonly string[]): Promise<void> {
  if (nodeIds.length === 0) return;
  await db.raw(
    `INSERT INTO placement_due (monitor_id)
     SELECT DISTINCT monitor_id FROM monitor_assignments WHERE node_id = ANY(?) AND ended_at IS NULL`,
    [[...nodeIds]],
  );
}

/** Queues the monitors with secrets that these nodes have. */
export async function queueSecretsOn(db: Knex, nodeIds: readonly string[]): Promise<void> {
  if (nodeIds.length === 0) return;
  await db.raw(
    `INSERT INTO placement_due (monitor_id)
     SELECT DISTINCT a.monitor_id FROM monitor_assignments a JOIN monitors m ON m.id = a.monitor_id
     WHERE a.node_id = ANY(?) AND a.ended_at IS NULL AND m.sealed_secrets IS NOT NULL`,
    [[...nodeIds]],
  );
}

/** Queues the monitors with too few nodes, or with nodes that are offline. */
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

/** Owner for whom the nodes of a monitor are chosen; null if the monitor no longer exists. */
export async function findOwner(
  trx: Knex,
  monitorId: string,
): Promise<{ ownerId: string; isAdmin: boolean; isTest: boolean } | null> {
  const { rows } = await trx.raw<{ rows: { owner_id: string; role: string | null; is_test: boolean }[] }>(
    'SELECT m.owner_id, u.role, m.is_test FROM monitors m LEFT JOIN users u ON u.id = m.owner_id WHERE m.id = ?',
    [monitorId],
  );
  const [row] = rows;
  return row === undefined ? null : { ownerId: row.owner_id, isAdmin: row.role === 'admin', isTest: row.is_test };
}
