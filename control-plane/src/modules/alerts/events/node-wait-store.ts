import type { Knex } from 'knex';

/** Change of a node whose notice waits for those of other nodes. */
export interface NodeWait {
  readonly nodeId: string;
  readonly kind: 'node_offline' | 'node_unhealthy';
  readonly ownerId: string;
  readonly nodeName: string;
  readonly reason: string | null;
  readonly sinceMs: number;
}

/** Has notices wait until `dueAtMs`, or as long as one of the same kind that waits for the same owner. */
export async function insertNodeWaits(trx: Knex, waits: readonly NodeWait[], dueAtMs: number): Promise<void> {
  if (waits.length === 0) return;
  const rows = waits.map(({ nodeId, kind, ownerId, nodeName, reason, sinceMs }) => ({
    node_id: nodeId,
    kind,
    owner_id: ownerId,
    node_name: nodeName,
    reason,
    since: new Date(sinceMs),
  }));
  await trx.raw(
    `INSERT INTO alert_node_waits (node_id, kind, owner_id, node_name, reason, since, due_at)
     SELECT n.node_id, n.kind, n.owner_id, n.node_name, n.reason, n.since, coalesce(
       (SELECT min(w.due_at) FROM alert_node_waits w WHERE w.owner_id = n.owner_id AND w.kind = n.kind), :dueAt)
     FROM jsonb_populate_recordset(NULL::alert_node_waits, :rows) n ORDER BY n.node_id, n.kind
     ON CONFLICT (node_id, kind) DO UPDATE SET owner_id = excluded.owner_id, node_name = excluded.node_name,
       reason = excluded.reason, since = excluded.since, due_at = excluded.due_at, ended_at = NULL`,
    { rows: JSON.stringify(rows), dueAt: new Date(dueAtMs) },
  );
}

/** Notes that nodes are online: notices that they are offline, and were not sent, are not sent any more. */
export async function noteOnline(trx: Knex, nodeIds: readonly string[], atMs: number): Promise<void> {
  if (nodeIds.length === 0) return;
  const offline = () => trx('alert_node_waits').whereIn('node_id', nodeIds).where({ kind: 'node_offline' });
  await offline().whereNotNull('due_at').delete();
  await offline()
    .whereNull('ended_at')
    .update({ ended_at: new Date(atMs) });
}

/** A notice that is due. */
export interface DueNodeWait extends NodeWait {
  /** True if a notice said that the node was offline at that time. */
  readonly isKnown: boolean;
}

/** Time by which the network of a node may be away before its link is closed. */
const BEFORE_OFFLINE = "interval '5 minutes'";

/**
 * Takes all waiting notices of owners of whom one is due; another replica waits, and finds none of them. A node of which it is not yet
 * known whether it is offline waits for that.
 */
export async function takeNodeWaits(trx: Knex, nowMs: number): Promise<DueNodeWait[]> {
  const { rows } = await trx.raw<{ rows: (WaitRow & { is_known: boolean })[] }>(
    `SELECT w.*, EXISTS (
       SELECT FROM alert_node_waits o WHERE w.kind = 'node_unhealthy' AND o.kind = 'node_offline' AND o.node_id = w.node_id
         AND o.since - ${BEFORE_OFFLINE} <= w.since AND coalesce(w.since <= o.ended_at, true)) AS is_known
     FROM alert_node_waits w WHERE w.due_at IS NOT NULL
       AND EXISTS (SELECT FROM alert_node_waits d WHERE d.owner_id = w.owner_id AND d.kind = w.kind AND d.due_at <= :now)
       AND NOT EXISTS (SELECT FROM alert_node_waits o WHERE w.kind = 'node_unhealthy' AND o.kind = 'node_offline'
         AND o.node_id = w.node_id AND o.due_at IS NOT NULL)
     ORDER BY w.node_id, w.kind FOR UPDATE OF w`,
    { now: new Date(nowMs) },
  );
  const taken = (kind: NodeWait['kind']) => rows.filter((row) => row.kind === kind).map(({ node_id: id }) => id);
  if (rows.length === 0) return [];
  await trx('alert_node_waits').where({ kind: 'node_unhealthy' }).whereIn('node_id', taken('node_unhealthy')).delete();
  await trx('alert_node_waits')
    .where({ kind: 'node_offline' })
    .whereIn('node_id', taken('node_offline'))
    .update({ due_at: null });
  return rows.map((row) => ({
    nodeId: row.node_id,
    kind: row.kind,
    ownerId: row.owner_id,
    nodeName: row.node_name,
    reason: row.reason,
    sinceMs: row.since.getTime(),
    isKnown: row.is_known,
  }));
}

/** Forgets nodes that a notice said are offline, once they have been online since an instant, or were offline long before it. */
export async function deleteNodeWaitsBefore(db: Knex, before: Date): Promise<void> {
  await db('alert_node_waits').whereNull('due_at').whereRaw('coalesce(ended_at, since) < ?', [before]).delete();
}

/** Deletes the waiting and sent notices of an owner. */
export async function deleteNodeWaitsOf(trx: Knex, ownerId: string): Promise<void> {
  await trx('alert_node_waits').where({ owner_id: ownerId }).delete();
}

interface WaitRow {
  readonly node_id: string;
  readonly kind: NodeWait['kind'];
  readonly owner_id: string;
  readonly node_name: string;
  readonly reason: string | null;
  readonly since: Date;
}
