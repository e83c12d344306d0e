import type { Knex } from 'knex';
import { queryPrepared } from '../../../db/prepared.js';
import { ownerIsAdmin } from '../../../owners/index.js';

/** Present assignment as it is sent to its node. */
export interface AssignmentRow {
  readonly node_id: string;
  readonly node_owner_id: string;
  /** Read only if the monitor has secrets. */
  readonly is_node_owner_admin: boolean;
  readonly monitor_id: string;
  readonly owner_id: string;
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

/**
 * SQL of a number for an assignment `a`, whose sums show differences.
 * NOTE: keyHash of links/traffic/held-assignments.ts is the same in JavaScript.
 */
const KEY_HASH = `('x' || substr(encode(sha256(convert_to(a.monitor_id || ' ' || a.generation, 'UTF8')), 'hex'), 1, 8))::bit(32)::bigint`;

const KEYS = {
  name: 'assignment-keys-of-nodes',
  text: `SELECT a.node_id, sum(${KEY_HASH})::float8 AS sum,
           json_agg(json_build_array(a.monitor_id, a.generation, m.sealed_secrets IS NOT NULL)) AS keys
         FROM monitor_assignments a JOIN monitors m ON m.id = a.monitor_id
         WHERE a.node_id = ANY($1) AND a.ended_at IS NULL GROUP BY a.node_id`,
};

/** All assignments of a node. */
export interface KeysRow {
  readonly node_id: string;
  /** Sum of `KEY_HASH`. */
  readonly sum: number;
  /** Monitor, generation, and true if the monitor has secrets: objects would take twice as long to read. */
  readonly keys: readonly (readonly [string, number, boolean])[];
}

/** Keys of all assignments of these nodes; nothing of nodes without assignments. */
export function listKeysOf(db: Knex, nodeIds: readonly string[]): Promise<KeysRow[]> {
  return queryPrepared<KeysRow>(db, KEYS, [[...nodeIds]]);
}

const SUMS = {
  name: 'assignment-sums-of-nodes',
  text: `SELECT a.node_id, sum(${KEY_HASH})::float8 AS sum FROM monitor_assignments a
         WHERE a.node_id = ANY($1) AND a.ended_at IS NULL GROUP BY a.node_id`,
};

/** Sums of all assignments of these nodes; nothing of nodes without assignments. */
export function sumKeysOf(db: Knex, nodeIds: readonly string[]): Promise<{ node_id: string; sum: number }[]> {
  return queryPrepared(db, SUMS, [[...nodeIds]]);
}

const LIST = {
  name: 'assignments',
  text: `SELECT a.node_id, a.monitor_id, a.generation, m.type, m.target, m.interval_s, m.config, m.sealed_secrets,
           m.consecutive_fail, m.consecutive_ok, m.owner_id, n.owner_id AS node_owner_id,
           CASE WHEN m.sealed_secrets IS NULL THEN false ELSE ${ownerIsAdmin('n')} END AS is_node_owner_admin
         FROM unnest($1::text[], $2::text[]) AS wanted (node_id, monitor_id)
         JOIN monitor_assignments a ON a.monitor_id = wanted.monitor_id AND a.node_id = wanted.node_id
         JOIN monitors m ON m.id = a.monitor_id JOIN nodes n ON n.id = a.node_id
         WHERE a.ended_at IS NULL`,
};

/** Those of these assignments that exist now. */
export function listAssignments(
  db: Knex,
  wanted: readonly { readonly nodeId: string; readonly monitorId: string }[],
): Promise<AssignmentRow[]> {
  const columns = [wanted.map(({ nodeId }) => nodeId), wanted.map(({ monitorId }) => monitorId)];
  return queryPrepared<AssignmentRow>(db, LIST, columns);
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

/** Assigns a monitor to nodes; a node that had it before gets another generation. */
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

/** Ends the assignments of a monitor to nodes; results that they deliver afterwards count only in history. */
export async function endAssignments(trx: Knex, monitorId: string, nodeIds: readonly string[]): Promise<void> {
  if (nodeIds.length === 0) return;
  await trx.raw(
    'UPDATE monitor_assignments SET ended_at = now() WHERE monitor_id = ? AND node_id = ANY(?) AND ended_at IS NULL',
    [monitorId, [...nodeIds]],
  );
  await noteChange(trx, nodeIds);
}

/** Ends all assignments of monitors. */
export async function endAllAssignments(trx: Knex, monitorIds: readonly string[]): Promise<void> {
  const { rows } = await trx.raw<{ rows: { node_id: string }[] }>(
    'UPDATE monitor_assignments SET ended_at = now() WHERE monitor_id = ANY(?) AND ended_at IS NULL RETURNING node_id',
    [[...monitorIds]],
  );
  if (rows.length > 0) await noteChange(trx, [...new Set(rows.map(({ node_id }) => node_id))]);
}

/** Gives every assignment of a monitor another generation, since it checks something else now. @returns ids of the nodes */
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

/** Checks per second that each node has to make. */
export async function sumLoads(db: Knex): Promise<Map<string, number>> {
  const { rows } = await db.raw<{ rows: { node_id: string; load: number }[] }>(
    `SELECT a.node_id, sum(1.0 / m.interval_s)::float8 AS load
     FROM monitor_assignments a JOIN monitors m ON m.id = a.monitor_id WHERE a.ended_at IS NULL GROUP BY 1`,
  );
  return new Map(rows.map(({ node_id, load }) => [node_id, load]));
}

/** Slots per second of the monitors that a node has, or had four days ago or later: an agent keeps reports three days. */
export async function readRecentLoad(db: Knex, nodeId: string): Promise<number> {
  const { rows } = await db.raw<{ rows: { load: number }[] }>(
    `SELECT coalesce(sum(1.0 / m.interval_s), 0)::float8 AS load
     FROM monitor_assignments a JOIN monitors m ON m.id = a.monitor_id
     WHERE a.node_id = ? AND (a.ended_at IS NULL OR a.ended_at > now() - interval '4 days')`,
    [nodeId],
  );
  return rows[0]?.load ?? 0;
}

async function noteChange(trx: Knex, nodeIds: readonly string[]): Promise<void> {
  await trx.raw(
    `INSERT INTO assignment_changes (node_id, changed_at) SELECT DISTINCT unnest(?::text[]) AS id, clock_timestamp() ORDER BY id
     ON CONFLICT (node_id) DO UPDATE SET changed_at = excluded.changed_at`,
    [[...nodeIds]],
  );
}
