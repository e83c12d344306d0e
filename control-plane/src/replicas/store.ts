import type { Knex } from 'knex';

/** What a replica says of itself. */
export interface ReplicaRow {
  readonly id: string;
  /** Where agents reach this very replica; null: only by the public URL. */
  readonly url: string | null;
  /** Sends its agents elsewhere. */
  readonly isDraining: boolean;
}

/** Who lives, and whose nodes have lost their replica. */
export interface ReplicaStore {
  upsert(replica: ReplicaRow): Promise<ReplicaRow[]>;
  removeDead(silentMs: number, graceMs: number): Promise<string[]>;
  delete(id: string): Promise<void>;
  deleteAll(): Promise<void>;
}

/** The replicas of a database. */
export function replicaStore(db: Knex): ReplicaStore {
  return {
    upsert: (replica) => upsertReplica(db, replica),
    removeDead: (silentMs, graceMs) => removeDeadReplicas(db, silentMs, graceMs),
    delete: (id) => deleteReplica(db, id),
    deleteAll: () => deleteAllReplicas(db),
  };
}

/** Adds a replica, or says that it is still there. Answers all living ones. */
async function upsertReplica(db: Knex, { id, url, isDraining }: ReplicaRow): Promise<ReplicaRow[]> {
  await db.raw(
    `INSERT INTO replicas (id, url, is_draining) VALUES (:id, :url, :isDraining)
     ON CONFLICT (id) DO UPDATE SET heartbeat_at = now(), url = excluded.url, is_draining = excluded.is_draining`,
    { id, url, isDraining },
  );
  return db('replicas').select('id', 'url', { isDraining: 'is_draining' });
}

/**
 * Removes replicas not heard of for `silentMs` and unlinks their nodes, whose work is lost unless they are back within
 * `graceMs`. Answers those nodes.
 */
async function removeDeadReplicas(db: Knex, silentMs: number, graceMs: number): Promise<string[]> {
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
async function deleteReplica(db: Knex, id: string): Promise<void> {
  await db('replicas').where({ id }).delete();
}

/** Takes every replica out: for a process that alone can reach the database. */
async function deleteAllReplicas(db: Knex): Promise<void> {
  await db('replicas').delete();
}
