import type { Knex } from 'knex';
import { queryPrepared } from '../db/prepared.js';

/** Record of a replica, as it reports itself. */
export interface ReplicaRow {
  readonly id: string;
  /** Address where agents reach this replica; null if they reach it only by the public URL. */
  readonly url: string | null;
  /** True if it sends its agents elsewhere. */
  readonly isDraining: boolean;
}

/** Record of this replica. */
export interface OwnReplicaRow extends ReplicaRow {
  /** Ranges that its operator has opened to probes. */
  readonly allowTargets: readonly string[];
}

/** Storage of the living replicas, and of nodes that have lost their replica. */
export interface ReplicaStore {
  upsert(replica: OwnReplicaRow): Promise<ReplicaRow[]>;
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

/** Adds a replica, or renews its sign of life. @returns all living replicas */
async function upsertReplica(db: Knex, { id, url, isDraining, allowTargets }: OwnReplicaRow): Promise<ReplicaRow[]> {
  await db.raw(
    `INSERT INTO replicas (id, url, is_draining, allow_targets) VALUES (:id, :url, :isDraining, :allowTargets)
     ON CONFLICT (id) DO UPDATE SET heartbeat_at = now(), url = excluded.url, is_draining = excluded.is_draining`,
    { id, url, isDraining, allowTargets: [...allowTargets] },
  );
  return db('replicas').select('id', 'url', { isDraining: 'is_draining' });
}

/**
 * Removes replicas not heard of for `silentMs` and unlinks their nodes, whose work is lost unless they are back within
 * `graceMs`.
 * @returns those nodes
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

/** Removes a replica. */
async function deleteReplica(db: Knex, id: string): Promise<void> {
  await db('replicas').where({ id }).delete();
}

/** Removes every replica: for a process that alone can reach the database. */
async function deleteAllReplicas(db: Knex): Promise<void> {
  await db('replicas').delete();
}

/** Ranges that the replica which was heard of last has opened to probes; null if no replica has been heard of within `withinMs`. */
export async function findAllowTargets(db: Knex, withinMs: number): Promise<readonly string[] | null> {
  const [newest] = await queryPrepared<{ allow_targets: string[] | null }>(db, NEWEST_RANGES, [withinMs]);
  return newest?.allow_targets ?? null;
}

const NEWEST_RANGES = {
  name: 'replicas-newest-ranges',
  text: `
    SELECT allow_targets FROM replicas WHERE heartbeat_at > now() - $1 * interval '1 millisecond'
    ORDER BY heartbeat_at DESC LIMIT 1`,
};
