import type { Knex } from 'knex';

/** A node whose presence has changed. */
export interface ChangedPresence {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly is_online: boolean;
  readonly left_at: Date | null;
}

/**
 * Stores which nodes have come online, and which have had no link for `graceMs`, and returns them. Each change is returned to
 * exactly one replica. Banned nodes have an event of their own; a node that never had a link does not go offline.
 */
export async function changePresence(
  trx: Knex,
  { graceMs, limit }: { readonly graceMs: number; readonly limit: number },
): Promise<ChangedPresence[]> {
  const { rows } = await trx.raw<{ rows: ChangedPresence[] }>(
    `WITH changed AS (
       SELECT n.id, n.session_id IS NOT NULL AS is_online FROM nodes n LEFT JOIN node_presence p ON p.node_id = n.id
       WHERE n.deleted_at IS NULL AND n.banned_at IS NULL AND n.quarantined_at IS NULL AND CASE
         WHEN n.session_id IS NOT NULL THEN p.is_online IS NOT TRUE
         ELSE p.is_online AND n.left_at < clock_timestamp() - :graceMs * interval '1 millisecond'
       END ORDER BY n.id LIMIT :limit
     ), noted AS (
       INSERT INTO node_presence AS p (node_id, is_online) SELECT id, is_online FROM changed ORDER BY id
       ON CONFLICT (node_id) DO UPDATE SET is_online = excluded.is_online WHERE p.is_online <> excluded.is_online
       RETURNING node_id, is_online
     ) SELECT n.id, n.owner_id, n.name, c.is_online, n.left_at FROM noted c JOIN nodes n ON n.id = c.node_id ORDER BY n.id`,
    { graceMs, limit },
  );
  return rows;
}

/** Marks a banned node as not online, so that its return after the ban is published. */
export async function endPresence(trx: Knex, nodeId: string): Promise<void> {
  await trx.raw('UPDATE node_presence SET is_online = false WHERE node_id = ?', [nodeId]);
}

/** Deletes the presence of deleted nodes. */
export async function deletePresenceOfDeleted(db: Knex): Promise<void> {
  await db.raw('DELETE FROM node_presence p USING nodes n WHERE n.id = p.node_id AND n.deleted_at IS NOT NULL');
}
