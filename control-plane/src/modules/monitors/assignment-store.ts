import type { Knex } from 'knex';
import { queryPrepared } from '../../db/prepared.js';

/** An assignment that lasts, as its node is told of it. */
export interface AssignmentRow {
  readonly node_id: string;
  readonly monitor_id: string;
  readonly generation: number;
  readonly type: string;
  readonly target: string;
  readonly interval_s: number;
  readonly config: Record<string, unknown>;
  readonly sealed_secrets: Buffer | null;
  readonly consecutive_fail: number;
  readonly consecutive_ok: number;
}

/** Ids of the nodes that have a monitor. */
export async function listAssignedNodes(db: Knex, monitorId: string): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { node_id: string }[] }>(
    'SELECT node_id FROM monitor_assignments WHERE monitor_id = ? AND ended_at IS NULL ORDER BY node_id',
    [monitorId],
  );
  return rows.map(({ node_id }) => node_id);
}

const LIST = {
  name: 'assignments-of-nodes',
  text: `SELECT a.node_id, a.monitor_id, a.generation, m.type, m.target, m.interval_s, m.config, m.sealed_secrets,
           m.consecutive_fail, m.consecutive_ok
         FROM monitor_assignments a JOIN monitors m ON m.id = a.monitor_id
         WHERE a.node_id = ANY($1) AND a.ended_at IS NULL`,
};

/** What these nodes are to watch. */
export function listAssignmentsOf(db: Knex, nodeIds: readonly string[]): Promise<AssignmentRow[]> {
  return queryPrepared<AssignmentRow>(db, LIST, [[...nodeIds]]);
}

/** Assignments of a monitor whose nodes have a link. */
export async function listLinkedAssignments(
  db: Knex,
  monitorId: string,
): Promise<{ nodeId: string; monitorId: string; generation: number }[]> {
  const { rows } = await db.raw<{ rows: { node_id: string; generation: number }[] }>(
    `SELECT a.node_id, a.generation FROM monitor_assignments a JOIN nodes n ON n.id = a.node_id
     WHERE a.monitor_id = ? AND a.ended_at IS NULL AND n.session_id IS NOT NULL ORDER BY a.node_id`,
    [monitorId],
  );
  return rows.map(({ node_id: nodeId, generation }) => ({ nodeId, monitorId, generation }));
}

/** Gives a monitor to nodes; who had it before gets another generation. */
export async function insertAssignments(trx: Knex, monitorId: string, nodeIds: readonly string[]): Promise<void> {
  if (nodeIds.length === 0) return;
  await trx.raw(
    `INSERT INTO monitor_assignments (monitor_id, node_id) SELECT ?, unnest(?::text[])
     ON CONFLICT (monitor_id, node_id)
     DO UPDATE SET generation = nextval('assignment_generations'), assigned_at = now(), ended_at = NULL`,
    [monitorId, [...nodeIds]],
  );
  await noteChange(trx, nodeIds);
}

/** Takes a monitor from nodes; what they deliver of it afterwards is history. */
export async function endAssignments(trx: Knex, monitorId: string, nodeIds: readonly string[]): Promise<void> {
  if (nodeIds.length === 0) return;
  await trx.raw(
    'UPDATE monitor_assignments SET ended_at = now() WHERE monitor_id = ? AND node_id = ANY(?) AND ended_at IS NULL',
    [monitorId, [...nodeIds]],
  );
  await noteChange(trx, nodeIds);
}

/** Of a monitor that checks something else now every node gets another generation. @returns their ids */
export async function renewAssignments(trx: Knex, monitorId: string): Promise<string[]> {
  const { rows } = await trx.raw<{ rows: { node_id: string }[] }>(
    `UPDATE monitor_assignments SET generation = nextval('assignment_generations')
     WHERE monitor_id = ? AND ended_at IS NULL RETURNING node_id`,
    [monitorId],
  );
  const nodeIds = rows.map(({ node_id }) => node_id);
  if (nodeIds.length > 0) await noteChange(trx, nodeIds);
  return nodeIds;
}

/** Nodes whose assignments changed since an instant. */
export async function listChangesSince(db: Knex, since: Date): Promise<{ node_id: string; changed_at: Date }[]> {
  const { rows } = await db.raw<{ rows: { node_id: string; changed_at: Date }[] }>(
    'SELECT node_id, changed_at FROM assignment_changes WHERE changed_at > ? ORDER BY changed_at',
    [since],
  );
  return rows;
}

/** How many checks a second each node has to make. */
export async function sumLoads(db: Knex): Promise<Map<string, number>> {
  const { rows } = await db.raw<{ rows: { node_id: string; load: number }[] }>(
    `SELECT a.node_id, sum(1.0 / m.interval_s)::float8 AS load
     FROM monitor_assignments a JOIN monitors m ON m.id = a.monitor_id WHERE a.ended_at IS NULL GROUP BY 1`,
  );
  return new Map(rows.map(({ node_id, load }) => [node_id, load]));
}

async function noteChange(trx: Knex, nodeIds: readonly string[]): Promise<void> {
  await trx.raw(
    `INSERT INTO assignment_changes (node_id, changed_at) SELECT DISTINCT unnest(?::text[]) AS id, clock_timestamp() ORDER BY id
     ON CONFLICT (node_id) DO UPDATE SET changed_at = excluded.changed_at`,
    [[...nodeIds]],
  );
}
