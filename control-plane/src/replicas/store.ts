import type { Knex } from 'knex';

/** Adds a replica, or says that it is still there. Answers all living ones. */
export async function upsertReplica(db: Knex, id: string): Promise<string[]> {
  await db.raw('INSERT INTO replicas (id) VALUES (?) ON CONFLICT (id) DO UPDATE SET heartbeat_at = now()', [id]);
  return db('replicas').pluck<string[]>('id');
}

/**
 * Removes replicas not heard of for `silentMs` and unlinks their nodes, whose work is lost unless they are back within
 * `graceMs`. Answers those nodes.
 */
export async function removeDeadReplicas(db: Knex, silentMs: number, graceMs: number): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `WITH dead AS (
       DELETE FROM replicas WHERE heartbeat_at < now() - ? * interval '1 millisecond' RETURNING id
     )
     UPDATE nodes SET session_id = NULL, replica_id = NULL, lost_after = now() + ? * interval '1 millisecond'
     WHERE id = ANY(ARRAY(
       SELECT id FROM nodes
       WHERE replica_id IS NOT NULL AND (replica_id IN (SELECT id FROM dead) OR replica_id NOT IN (SELECT id FROM replicas))
       -- one that is locked is being linked, or unlinked by another replica just now
       FOR NO KEY UPDATE SKIP LOCKED
     )) RETURNING id`,
    [silentMs, graceMs],
  );
  return rows.map(({ id }) => id);
}

/** Takes a replica out. */
export async function deleteReplica(db: Knex, id: string): Promise<void> {
  await db('replicas').where({ id }).delete();
}

/** Takes every replica out: for a process that alone can reach the database. */
export async function deleteAllReplicas(db: Knex): Promise<void> {
  await db('replicas').delete();
}
