import type { MonitorHealth } from '@vantage/shared/monitor-state/quorum.js';
import type { Knex } from 'knex';
import { instantLiteral } from '../../db/literals.js';
import type { PlanName } from '../../plans.js';
import type { NodeSelection } from '../nodes/index.js';
import type { MonitorStatus } from './schema.js';
import { lockStatesOf } from './state-store.js';

/** A monitor as it is stored, with what is known of it. */
export interface MonitorRow {
  readonly id: string;
  readonly key: number;
  readonly user_id: string;
  readonly is_test: boolean;
  readonly name: string;
  readonly type: string;
  readonly target: string;
  readonly interval_s: number;
  readonly config: Record<string, unknown>;
  readonly sealed_secrets: Buffer | null;
  readonly status: MonitorStatus;
  readonly group_id: string | null;
  readonly tags: readonly string[];
  readonly node_selection: NodeSelection;
  readonly node_count: number;
  readonly consecutive_fail: number;
  readonly consecutive_ok: number;
  readonly fail_node_quorum: string;
  readonly alert_policy_id: string | null;
  readonly notifies_owner: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A row with its state, for views. */
export interface KnownMonitorRow extends MonitorRow {
  readonly health: MonitorHealth;
  readonly failing_nodes: readonly string[];
  readonly first_check_at: Date | null;
  readonly last_check_at: Date | null;
  readonly node_ids: readonly string[];
}

/** What of a row its owner decides. */
export type MonitorFields = Omit<MonitorRow, 'key' | 'created_at' | 'updated_at' | 'status'>;

/** Whose monitors: a test key sees only what test keys made. */
export interface Owner {
  readonly userId: string;
  readonly isTest: boolean;
}

/** What a list is narrowed to. */
export interface MonitorFilter {
  readonly type?: string | undefined;
  readonly status?: MonitorStatus | undefined;
  readonly current_status?: MonitorHealth | undefined;
  readonly group_id?: string | undefined;
  readonly tag?: string | undefined;
  readonly q?: string | undefined;
}

const COLUMNS = `m.id, m.key, m.user_id, m.is_test, m.name, m.type, m.target, m.interval_s, m.config, m.sealed_secrets, m.status,
  m.group_id, m.tags, m.node_selection, m.node_count, m.consecutive_fail, m.consecutive_ok, m.fail_node_quorum,
  m.alert_policy_id, m.notifies_owner, m.created_at, m.updated_at`;

/** Older checks were noted in monitor_states: nothing but two days of partitions is looked at, however many there are. */
const UNNOTED_MS = 86_400_000;
/** Clocks of nodes may be a little ahead of ours. */
const AHEAD_MS = 120_000;

const known = (nowMs: number) => `${COLUMNS}, s.health, s.failing_nodes, s.first_check_at,
  greatest(s.last_check_at, (
    SELECT max(c.at) FROM monitor_checks c
    WHERE c.monitor_key = m.key AND c.at >= ${instantLiteral(nowMs - UNNOTED_MS)} AND c.at < ${instantLiteral(nowMs + AHEAD_MS)}
  )) AS last_check_at,
  ARRAY(SELECT a.node_id FROM monitor_assignments a WHERE a.monitor_id = m.id AND a.ended_at IS NULL ORDER BY a.node_id) AS node_ids`;

const FROM = 'FROM monitors m JOIN monitor_states s ON s.monitor_id = m.id';

/** The owner's plan; holds off others who make something of the same owner. Null: there is no such account. */
export async function lockPlan(trx: Knex, userId: string): Promise<PlanName | null> {
  const { rows } = await trx.raw<{ rows: { plan: PlanName }[] }>(
    'SELECT plan FROM users WHERE id = ? FOR NO KEY UPDATE',
    [userId],
  );
  return rows[0]?.plan ?? null;
}

/** How many monitors an account has. */
export async function countMonitors(db: Knex, userId: string): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    'SELECT count(*)::int AS count FROM monitors WHERE user_id = ?',
    [userId],
  );
  return rows[0]?.count ?? 0;
}

/** Stores a new monitor, of which nothing is known; false when the name is taken. */
export async function insertMonitor(trx: Knex, monitor: MonitorFields, at: Date): Promise<boolean> {
  const rows = await trx('monitors')
    .insert({ ...toColumns(monitor), created_at: at, updated_at: at })
    .onConflict(['user_id', 'name'])
    .ignore()
    .returning('id');
  if (rows.length === 0) return false;
  await trx('monitor_states').insert({ monitor_id: monitor.id, not_before: at });
  return true;
}

/** Changes a monitor; false when the name is taken. */
export async function updateMonitor(trx: Knex, { id, ...changes }: MonitorFields, at: Date): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: object[] }>(
    'SELECT FROM monitors WHERE user_id = ? AND name = ? AND id <> ?',
    [changes.user_id, changes.name, id],
  );
  if (rows.length > 0) return false;
  await trx('monitors')
    .where({ id })
    .update({ ...toColumns({ id, ...changes }), updated_at: at });
  return true;
}

/** Sets the configuration state, and notes from when to when a monitor was not checked. */
export async function updateStatus(trx: Knex, id: string, status: MonitorStatus, at: Date): Promise<void> {
  await trx('monitors').where({ id }).update({ status, updated_at: at });
  await trx('monitor_pauses').where({ monitor_id: id, to_at: null }).update({ to_at: at });
  if (status !== 'active') await trx('monitor_pauses').insert({ monitor_id: id, from_at: at });
}

/** Deletes a monitor with its state and events; its checks go when their day does. */
export async function deleteMonitor(trx: Knex, id: string): Promise<void> {
  await trx('monitor_node_states').where({ monitor_id: id }).delete();
  await trx('monitors').where({ id }).delete();
}

/** Deletes everything of an account that leaves; its nodes drop it when they are told. */
export async function deleteMonitorsOf(trx: Knex, userId: string): Promise<void> {
  await lockStatesOf(trx, userId);
  await trx.raw(
    `INSERT INTO assignment_changes (node_id, changed_at)
     SELECT DISTINCT a.node_id, clock_timestamp() FROM monitor_assignments a JOIN monitors m ON m.id = a.monitor_id
     WHERE m.user_id = ? AND a.ended_at IS NULL ORDER BY a.node_id
     ON CONFLICT (node_id) DO UPDATE SET changed_at = excluded.changed_at`,
    [userId],
  );
  await trx.raw('DELETE FROM monitor_node_states WHERE monitor_id IN (SELECT id FROM monitors WHERE user_id = ?)', [
    userId,
  ]);
  await trx('monitors').where({ user_id: userId }).delete();
  await trx('monitor_groups').where({ user_id: userId }).delete();
}

/** Locks a monitor of an owner for a change; null: there is none. */
export async function lockMonitor(trx: Knex, id: string, owner: Owner | null): Promise<MonitorRow | null> {
  const { rows } = await trx.raw<{ rows: MonitorRow[] }>(
    `SELECT ${COLUMNS} FROM monitors m WHERE m.id = :id AND ${ownedBy(owner)} FOR NO KEY UPDATE`,
    { id, ...owner },
  );
  return rows[0] ?? null;
}

/** A monitor of an owner with what is known of it, or null. */
export async function findMonitor(
  db: Knex,
  { id, owner, nowMs }: { id: string; owner: Owner; nowMs: number },
): Promise<KnownMonitorRow | null> {
  const { rows } = await db.raw<{ rows: KnownMonitorRow[] }>(
    `SELECT ${known(nowMs)} ${FROM} WHERE m.id = :id AND ${ownedBy(owner)}`,
    { id, ...owner },
  );
  return rows[0] ?? null;
}

/** A page of an owner's monitors, newest first, and how many there are. */
export async function listMonitors(
  db: Knex,
  page: { owner: Owner; filter: MonitorFilter; limit: number; offset: number; nowMs: number },
): Promise<{ rows: KnownMonitorRow[]; total: number }> {
  const { limit, offset, nowMs } = page;
  const { where, bindings } = filterClause(page.owner, page.filter);
  const { rows } = await db.raw<{ rows: KnownMonitorRow[] }>(
    `SELECT ${known(nowMs)} ${FROM} WHERE ${where} ORDER BY m.id DESC LIMIT :limit OFFSET :offset`,
    { ...bindings, limit, offset },
  );
  const { rows: counts } = await db.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total ${FROM} WHERE ${where}`,
    bindings,
  );
  return { rows, total: counts[0]?.total ?? 0 };
}

/** Whether an owner has a group; it stays until the transaction ends. */
export async function hasGroup(trx: Knex, id: string, { userId, isTest }: Owner): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: object[] }>(
    `SELECT FROM monitor_groups WHERE id = :id AND user_id = :userId ${isTest ? 'AND is_test' : ''} FOR KEY SHARE`,
    { id, userId },
  );
  return rows.length > 0;
}

/** A condition on monitors `m` with their states `s`, and what it is bound to. */
export function filterClause(
  owner: Owner,
  filter: MonitorFilter,
): { where: string; bindings: Record<string, unknown> } {
  const conditions: readonly [unknown, string][] = [
    [filter.type, 'm.type = :type'],
    [filter.status, 'm.status = :status'],
    [filter.current_status, 's.health = :health'],
    [filter.group_id, 'm.group_id = :groupId'],
    [filter.tag, 'm.tags @> ARRAY[:tag]'],
    [filter.q, "(m.name ILIKE :like ESCAPE '\\' OR m.target ILIKE :like ESCAPE '\\')"],
  ];
  const where = [ownedBy(owner), ...conditions.filter(([value]) => value !== undefined).map(([, sql]) => sql)];
  return {
    where: where.join(' AND '),
    bindings: {
      ...owner,
      type: filter.type ?? null,
      status: filter.status ?? null,
      health: filter.current_status ?? null,
      groupId: filter.group_id ?? null,
      tag: filter.tag?.toLowerCase() ?? null,
      like: `%${(filter.q ?? '').replace(/[\\%_]/g, '\\$&')}%`,
    },
  };
}

function ownedBy(owner: Owner | null): string {
  if (owner === null) return 'true';
  return owner.isTest ? 'm.user_id = :userId AND m.is_test' : 'm.user_id = :userId';
}

/** What an owner's changes write: a row has more. */
function toColumns(monitor: MonitorFields) {
  return {
    id: monitor.id,
    user_id: monitor.user_id,
    is_test: monitor.is_test,
    name: monitor.name,
    type: monitor.type,
    target: monitor.target,
    interval_s: monitor.interval_s,
    config: JSON.stringify(monitor.config),
    sealed_secrets: monitor.sealed_secrets,
    group_id: monitor.group_id,
    tags: monitor.tags,
    node_selection: JSON.stringify(monitor.node_selection),
    node_count: monitor.node_count,
    consecutive_fail: monitor.consecutive_fail,
    consecutive_ok: monitor.consecutive_ok,
    fail_node_quorum: monitor.fail_node_quorum,
    alert_policy_id: monitor.alert_policy_id,
    notifies_owner: monitor.notifies_owner,
  };
}
