import type { Knex } from 'knex';
import { queryPage } from '../../db/named.js';
import { queryPrepared } from '../../db/prepared.js';
import type { Page } from '../../http/pagination.js';
import type { OpenRollout } from './metrics.js';
import type { NodeCounts, Rollout, RolloutNode, RolloutNodeState, RolloutState } from './rollout.js';

interface RolloutRow {
  readonly id: string;
  readonly version: string;
  readonly selection: Rollout['selection'];
  readonly stages: number[];
  readonly max_failures: number;
  readonly pause_s: number;
  readonly state: RolloutState;
  readonly stage: number;
  readonly stage_ended_at: Date | null;
  readonly forgiven: number;
  readonly created_at: Date;
  readonly ended_at: Date | null;
}

const COLUMNS = `id, version, selection, stages, max_failures, pause_s, state, stage, stage_ended_at, forgiven, created_at, ended_at`;

const OPEN = `('running', 'paused', 'halted')`;

/** NOTE: the states of upgrades are those of links/records/upgrade-store.ts. */
const AVAILABLE = `n.session_id IS NOT NULL AND n.banned_at IS NULL AND n.deleted_at IS NULL
  AND coalesce(n.upgrade_state, '') NOT IN ('requested', 'running')`;

/** Those of the nodes that run another version. */
export async function listOutdated(db: Knex, ids: readonly string[], version: string): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    'SELECT id FROM nodes WHERE id = ANY(?::text[]) AND agent_version <> ?',
    [[...ids], version],
  );
  return rows.map(({ id }) => id);
}

/** Stores a new roll-out and its nodes, in the order of their upgrades; false if another one is open. */
export async function insertRollout(
  trx: Knex,
  rollout: Pick<Rollout, 'id' | 'version' | 'selection' | 'stages' | 'maxFailures' | 'pauseS'>,
  nodeIds: readonly string[],
): Promise<boolean> {
  const { rows } = await trx.raw(
    `INSERT INTO rollouts (id, version, selection, stages, max_failures, pause_s)
     VALUES (:id, :version, :selection, :stages, :maxFailures, :pauseS) ON CONFLICT DO NOTHING RETURNING id`,
    { ...rollout, selection: JSON.stringify(rollout.selection), stages: [...rollout.stages] },
  );
  if (rows.length === 0) return false;
  await trx.raw(
    `INSERT INTO rollout_nodes (rollout_id, node_id, position)
     SELECT ?, node_id, position FROM unnest(?::text[]) WITH ORDINALITY AS n (node_id, position)`,
    [rollout.id, [...nodeIds]],
  );
  return true;
}

/** One page of roll-outs, newest first. */
export async function listRollouts(db: Knex, { limit, offset }: Page): Promise<{ rollouts: Rollout[]; total: number }> {
  const query = { name: 'rollouts', columns: COLUMNS, from: 'rollouts', where: 'true', orderBy: 'id DESC' };
  const { rows, total } = await queryPage<RolloutRow>(db, query, { limit, offset });
  return { rollouts: rows.map(rolloutOf), total };
}

const FIND = { name: 'rollout', text: `SELECT ${COLUMNS} FROM rollouts WHERE id = $1` };

/** Roll-out by its id; null if there is no such roll-out. */
export async function findRollout(db: Knex, id: string): Promise<Rollout | null> {
  const [row] = await queryPrepared<RolloutRow>(db, FIND, [id]);
  return row === undefined ? null : rolloutOf(row);
}

/** The same, locked until the transaction ends. */
export async function lockRollout(trx: Knex, id: string): Promise<Rollout | null> {
  const { rows } = await trx.raw<{ rows: RolloutRow[] }>('SELECT * FROM rollouts WHERE id = ? FOR UPDATE', [id]);
  return rows[0] === undefined ? null : rolloutOf(rows[0]);
}

/** Locks a roll-out with something to do that no other replica works on; null if there is none. */
export async function claimRollout(trx: Knex, except: readonly string[]): Promise<Rollout | null> {
  const { rows } = await trx.raw<{ rows: RolloutRow[] }>(
    `SELECT * FROM rollouts r WHERE ${HAS_WORK} AND id <> ALL(?::text[]) ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`,
    [[...except]],
  );
  return rows[0] === undefined ? null : rolloutOf(rows[0]);
}

/** True if a roll-out runs, or nodes of one that was stopped have not replied yet. */
export async function hasRolloutWork(db: Knex): Promise<boolean> {
  const { rows } = await db.raw(`SELECT FROM rollouts r WHERE ${HAS_WORK} LIMIT 1`);
  return rows.length > 0;
}

const HAS_WORK = `(r.state = 'running'
  OR EXISTS (SELECT FROM rollout_nodes n WHERE n.rollout_id = r.id AND n.state = 'requested'))`;

/** Takes over the outcomes of upgrades, and skips nodes that no longer need one. @returns number of nodes that changed */
export async function settleNodes(trx: Knex, { id, version }: Pick<Rollout, 'id' | 'version'>): Promise<number> {
  const { rowCount } = await trx.raw(SETTLE, { id, version });
  return rowCount;
}

const SETTLE = `
  UPDATE rollout_nodes r SET state = v.outcome, error = v.reason, ended_at = now()
  FROM (
    SELECT r.position, o.outcome, o.reason
    FROM rollout_nodes r LEFT JOIN nodes n ON n.id = r.node_id
    CROSS JOIN LATERAL (SELECT n.upgrade_requested_at = r.requested_at AND n.upgrade_version = :version AS is_ours) mine
    CROSS JOIN LATERAL (
      SELECT 'skipped' AS outcome, 'the node was deleted' AS reason WHERE n.id IS NULL OR n.deleted_at IS NOT NULL
      UNION ALL SELECT 'done', NULL WHERE r.state = 'requested' AND is_ours AND n.upgrade_state = 'done'
      UNION ALL SELECT 'failed', n.upgrade_error WHERE r.state = 'requested' AND is_ours AND n.upgrade_state = 'failed'
      UNION ALL SELECT 'done', NULL WHERE r.state = 'requested' AND is_ours IS NOT TRUE AND n.agent_version = :version
      UNION ALL SELECT 'failed', 'another version was requested of the node' WHERE r.state = 'requested' AND is_ours IS NOT TRUE
      UNION ALL SELECT 'skipped', 'the node was banned' WHERE r.state = 'waiting' AND n.banned_at IS NOT NULL
      UNION ALL SELECT 'skipped', 'the node runs this version already' WHERE r.state = 'waiting' AND n.agent_version = :version
      LIMIT 1
    ) o
    WHERE r.rollout_id = :id AND r.state IN ('waiting', 'requested')
  ) v
  WHERE r.rollout_id = :id AND r.position = v.position`;

const COUNT_NODES = {
  name: 'rollout-node-counts',
  text: 'SELECT rollout_id AS id, state, count(*)::int AS nodes FROM rollout_nodes WHERE rollout_id = ANY($1::text[]) GROUP BY 1, 2',
};

/** Number of nodes by state, of several roll-outs. */
export async function countNodes(db: Knex, ids: readonly string[]): Promise<Map<string, NodeCounts>> {
  const rows = await queryPrepared<{ id: string; state: RolloutNodeState; nodes: number }>(db, COUNT_NODES, [[...ids]]);
  const none = { waiting: 0, requested: 0, done: 0, failed: 0, skipped: 0 };
  const counts = new Map<string, NodeCounts>(ids.map((id) => [id, none]));
  for (const { id, state, nodes } of rows) counts.set(id, { ...(counts.get(id) ?? none), [state]: nodes });
  return counts;
}

/** The roll-out that has not ended, with the number of its nodes by state. */
export async function readOpenRollout(db: Knex): Promise<OpenRollout | 'none'> {
  const { rows } = await db.raw<{ rows: { id: string; state: RolloutState }[] }>(
    `SELECT id, state FROM rollouts WHERE state IN ${OPEN}`,
  );
  const [open] = rows;
  const counts = open && (await countNodes(db, [open.id])).get(open.id);
  return open === undefined || counts === undefined ? 'none' : { isHalted: open.state === 'halted', counts };
}

/** Number of waiting nodes whose upgrade can be requested now, and the time of the database. */
export async function countAvailable(trx: Knex, id: string): Promise<{ available: number; now: Date }> {
  const { rows } = await trx.raw<{ rows: [{ available: number; now: Date }] }>(
    `SELECT count(*)::int AS available, now() AS now FROM rollout_nodes r JOIN nodes n ON n.id = r.node_id
     WHERE r.rollout_id = ? AND r.state = 'waiting' AND ${AVAILABLE}`,
    [id],
  );
  return rows[0];
}

/** Requests the upgrade of the next available nodes. @returns them, with their owners */
export async function requestUpgrades(
  trx: Knex,
  { id, version }: Pick<Rollout, 'id' | 'version'>,
  count: number,
): Promise<{ readonly id: string; readonly owner_id: string }[]> {
  const { rows } = await trx.raw<{ rows: { id: string; owner_id: string }[] }>(
    `WITH chosen AS (
       SELECT n.id FROM rollout_nodes r JOIN nodes n ON n.id = r.node_id
       WHERE r.rollout_id = :id AND r.state = 'waiting' AND ${AVAILABLE}
       ORDER BY r.position LIMIT :count FOR NO KEY UPDATE OF n
     ), asked AS (
       UPDATE nodes n SET upgrade_version = :version, upgrade_state = 'requested', upgrade_error = NULL,
              upgrade_requested_at = date_trunc('milliseconds', now())
       FROM chosen WHERE n.id = chosen.id RETURNING n.id, n.owner_id, n.upgrade_requested_at
     )
     UPDATE rollout_nodes r SET state = 'requested', requested_at = a.upgrade_requested_at
     FROM asked a WHERE r.rollout_id = :id AND r.node_id = a.id RETURNING a.id, a.owner_id`,
    { id, version, count },
  );
  return rows;
}

/** Writes the state, and the end of a roll-out that ends by it. */
export async function updateState(trx: Knex, id: string, state: RolloutState): Promise<void> {
  await trx.raw(
    `UPDATE rollouts SET state = :state, ended_at = CASE WHEN :state IN ${OPEN} THEN NULL ELSE now() END WHERE id = :id`,
    { id, state },
  );
}

/** Runs a roll-out again; failures up to now do not count any more. */
export async function updateResumed(trx: Knex, id: string, forgiven: number): Promise<void> {
  await trx.raw("UPDATE rollouts SET state = 'running', forgiven = ? WHERE id = ?", [forgiven, id]);
}

/** Ends the present stage; the pause begins. */
export async function endStage(trx: Knex, id: string): Promise<void> {
  await trx.raw('UPDATE rollouts SET stage_ended_at = now() WHERE id = ?', [id]);
}

export async function beginNextStage(trx: Knex, id: string): Promise<void> {
  await trx.raw('UPDATE rollouts SET stage = stage + 1, stage_ended_at = NULL WHERE id = ?', [id]);
}

/** One page of the nodes of a roll-out, in the order of their upgrades, with `state`, or with any if it is null. */
export async function listRolloutNodes(
  db: Knex,
  id: string,
  { state, limit, offset }: Page & { readonly state: RolloutNodeState | null },
): Promise<{ nodes: RolloutNode[]; total: number }> {
  const query = {
    name: 'rollout-nodes',
    columns: `r.node_id AS "nodeId", n.name, r.state, r.requested_at AS "requestedAt", r.ended_at AS "endedAt", r.error`,
    from: 'rollout_nodes r LEFT JOIN nodes n ON n.id = r.node_id',
    where: 'r.rollout_id = :id AND (:state::text IS NULL OR r.state = :state)',
    orderBy: 'r.position',
  };
  const { rows, total } = await queryPage<RolloutNode>(db, query, { id, state, limit, offset });
  return { nodes: rows, total };
}

/** Deletes roll-outs that ended more than `days` ago. */
export async function deleteOldRollouts(db: Knex, days: number): Promise<void> {
  await db.raw("DELETE FROM rollouts WHERE ended_at < now() - ? * interval '1 day'", [days]);
}

function rolloutOf(row: RolloutRow): Rollout {
  const { id, version, selection, stages, state, stage, forgiven } = row;
  return {
    id,
    version,
    selection,
    stages,
    state,
    stage,
    forgiven,
    maxFailures: row.max_failures,
    pauseS: row.pause_s,
    stageEndedAt: row.stage_ended_at,
    createdAt: row.created_at,
    endedAt: row.ended_at,
  };
}
