import type { MonitorHealth } from '@vantage/shared/monitor-state/quorum.js';
import type { Knex } from 'knex';
import { instantLiteral } from '../../../db/literals.js';
import { type PreparedStatement, queryPrepared } from '../../../db/prepared.js';
import { type Owner, ownedBy } from '../../../owners/index.js';
import type { NodeSelection } from '../../nodes/index.js';
import type { MonitorAlertSeverity, MonitorStatus } from './schema.js';

/** Reason for a pause that is not an act on the monitor. */
export type PausedReason = 'account_deleting';

/** Stored monitor. */
export interface MonitorRow {
  readonly id: string;
  readonly key: number;
  readonly owner_id: string;
  readonly created_by: string;
  readonly is_test: boolean;
  readonly name: string;
  readonly type: string;
  readonly target: string;
  readonly interval_s: number;
  readonly config: Record<string, unknown>;
  readonly sealed_secrets: Buffer | null;
  readonly status: MonitorStatus;
  readonly paused_reason: PausedReason | null;
  readonly group_id: string | null;
  readonly tags: readonly string[];
  readonly node_selection: NodeSelection;
  readonly node_count: number;
  readonly consecutive_fail: number;
  readonly consecutive_ok: number;
  readonly fail_node_quorum: string;
  readonly alert_policy_id: string | null;
  readonly alert_severity: MonitorAlertSeverity;
  readonly notifies_owner: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A row with its state, for views. */
export interface KnownMonitorRow extends MonitorRow {
  readonly health: MonitorHealth;
  /** Time of the check or ping since which the health is the same; null if it has been so since the monitor was created. */
  readonly changed_at: Date | null;
  /** Reason of the open event; null if none is open. */
  readonly reason: string | null;
  readonly failing_nodes: readonly string[];
  readonly first_check_at: Date | null;
  readonly last_check_at: Date | null;
  readonly node_ids: readonly string[];
}

/** Columns of a monitor that its owner decides. */
export type MonitorFields = Omit<MonitorRow, 'key' | 'created_at' | 'updated_at' | 'status' | 'paused_reason'>;

/** Filter of lists of monitors. */
export interface MonitorFilter {
  readonly type?: string | undefined;
  readonly status?: MonitorStatus | undefined;
  readonly current_status?: MonitorHealth | undefined;
  readonly group_id?: string | undefined;
  readonly tag?: string | undefined;
  readonly q?: string | undefined;
}

const COLUMNS = `m.id, m.key, m.owner_id, m.created_by, m.is_test, m.name, m.type, m.target, m.interval_s, m.config, m.sealed_secrets, m.status, m.paused_reason,
  m.group_id, m.tags, m.node_selection, m.node_count, m.consecutive_fail, m.consecutive_ok, m.fail_node_quorum,
  m.alert_policy_id, m.alert_severity, m.notifies_owner, m.created_at, m.updated_at`;

const DAY_MS = 86_400_000;
/** Tolerance for clocks of nodes that are ahead. */
const AHEAD_MS = 120_000;

/** Day until whose end checks are read from partitions. */
export function lastDay(nowMs: number): number {
  return Math.floor((nowMs + AHEAD_MS) / DAY_MS);
}

/** SQL of the newest check of a day, which is null if there was none. */
const newestOf = (day: number) => `(
    SELECT max(c.at) FROM monitor_checks c WHERE c.monitor_key = m.key
      AND c.at >= ${instantLiteral(day * DAY_MS)} AND c.at < ${instantLiteral((day + 1) * DAY_MS)}
  )`;

/**
 * SQL of the columns of `KnownMonitorRow`, from monitors `m` and their states `s`. The newest check is read from the partitions
 * of two days, of the earlier one only for monitors without a check in the later; older ones were recorded in monitor_states.
 */
export const knownColumns = (day: number) => `${COLUMNS}, s.health, s.changed_at, s.failing_nodes, s.first_check_at,
  (SELECT e.reason FROM monitor_events e WHERE e.monitor_id = m.id AND e.ended_at IS NULL) AS reason,
  coalesce(${newestOf(day)}, greatest(s.last_check_at, ${newestOf(day - 1)})) AS last_check_at,
  ARRAY(SELECT a.node_id FROM monitor_assignments a WHERE a.monitor_id = m.id AND a.ended_at IS NULL ORDER BY a.node_id) AS node_ids`;

/** SQL that joins the states `s` of monitors `m`. */
export const JOIN_STATES = 'JOIN monitor_states s ON s.monitor_id = m.id';
const FROM = `FROM monitors m ${JOIN_STATES}`;

const COUNT: PreparedStatement = {
  name: 'monitors-count',
  text: 'SELECT count(*)::int AS count FROM monitors WHERE owner_id = $1',
};

export async function countMonitors(db: Knex, ownerId: string): Promise<number> {
  const [row] = await queryPrepared<{ count: number }>(db, COUNT, [ownerId]);
  return row?.count ?? 0;
}

/** Stores a new monitor with unknown health; false if the name is taken. */
export async function insertMonitor(trx: Knex, monitor: MonitorFields, at: Date): Promise<boolean> {
  const rows = await trx('monitors')
    .insert({ ...toColumns(monitor), created_at: at, updated_at: at })
    .onConflict(['owner_id', 'name'])
    .ignore()
    .returning('id');
  if (rows.length === 0) return false;
  await trx('monitor_states').insert({ monitor_id: monitor.id, not_before: at });
  return true;
}

/** Changes a monitor; false if the name is taken. */
export async function updateMonitor(trx: Knex, { id, ...changes }: MonitorFields, at: Date): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: object[] }>(
    'SELECT FROM monitors WHERE owner_id = ? AND name = ? AND id <> ?',
    [changes.owner_id, changes.name, id],
  );
  if (rows.length > 0) return false;
  await trx('monitors')
    .where({ id })
    .update({ ...toColumns({ id, ...changes }), updated_at: at });
  return true;
}

/** Sets the configuration state of monitors, and records when they were not checked. */
export async function updateStatus(
  trx: Knex,
  ids: readonly string[],
  { status, reason = null, at }: { status: MonitorStatus; reason?: PausedReason | null; at: Date },
): Promise<void> {
  await trx('monitors')
    .whereRaw('id = ANY(?)', [[...ids]])
    .update({ status, paused_reason: reason, updated_at: at });
  // a monitor that was resumed but not judged since still counts as paused in uptime: see endPause
  if (status === 'active') return;
  await trx.raw(
    `INSERT INTO monitor_pauses (monitor_id, from_at) SELECT given.id, :at FROM unnest(:ids::text[]) AS given(id)
     WHERE NOT EXISTS (SELECT FROM monitor_pauses WHERE monitor_id = given.id AND to_at IS NULL)`,
    { ids: [...ids], at },
  );
}

/** Deletes a monitor with its state and events; its checks are dropped with the partition of their day. */
export async function deleteMonitor(trx: Knex, id: string): Promise<void> {
  await trx('monitor_node_states').where({ monitor_id: id }).delete();
  await trx('monitors').where({ id }).delete();
}

/** Locks a monitor of an owner (null for any owner) for a change; null if there is no such monitor. */
export async function lockMonitor(trx: Knex, id: string, owner: Owner | null): Promise<MonitorRow | null> {
  const { rows } = await trx.raw<{ rows: MonitorRow[] }>(
    `SELECT ${COLUMNS} FROM monitors m WHERE m.id = :id AND ${owner === null ? 'true' : ownedBy(owner, 'm')} FOR NO KEY UPDATE`,
    { id, ownerId: owner?.id ?? null },
  );
  return rows[0] ?? null;
}

/** Locks the monitors of an owner that are in a state, for a change, in the order of their ids. */
export async function lockMonitorsOf(
  trx: Knex,
  ownerId: string,
  { status, reason }: { status: MonitorStatus; reason: PausedReason | null },
): Promise<MonitorRow[]> {
  const { rows } = await trx.raw<{ rows: MonitorRow[] }>(
    `SELECT ${COLUMNS} FROM monitors m WHERE m.owner_id = ? AND m.status = ? AND m.paused_reason IS NOT DISTINCT FROM ?
     ORDER BY m.id FOR NO KEY UPDATE`,
    [ownerId, status, reason],
  );
  return rows;
}

/** Monitor of an owner with its state; null if there is no such monitor. */
export async function findMonitor(
  db: Knex,
  { id, owner, nowMs }: { id: string; owner: Owner; nowMs: number },
): Promise<KnownMonitorRow | null> {
  const day = lastDay(nowMs);
  const statement = {
    name: owner.isTest ? 'monitor-find-test' : 'monitor-find',
    text: `SELECT ${knownColumns(day)} ${FROM} WHERE m.id = $1 AND ${ownedBy(owner, 'm', '$2')}`,
    day,
  };
  const [row] = await queryPrepared<KnownMonitorRow>(db, statement, [id, owner.id]);
  return row ?? null;
}

/** Type, status and health of a monitor of any owner, or null. */
export async function findHealth(
  db: Knex,
  id: string,
): Promise<Pick<KnownMonitorRow, 'id' | 'type' | 'status' | 'health'> | null> {
  const text = `SELECT m.id, m.type, m.status, s.health ${FROM} WHERE m.id = $1`;
  const [row] = await queryPrepared<KnownMonitorRow>(db, { name: 'monitor-health', text }, [id]);
  return row ?? null;
}

/** True if an owner has a group; the group cannot be deleted until the transaction ends. */
export async function hasGroup(trx: Knex, id: string, owner: Owner): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: object[] }>(
    `SELECT FROM monitor_groups WHERE id = :id AND ${ownedBy(owner)} FOR KEY SHARE`,
    { id, ownerId: owner.id },
  );
  return rows.length > 0;
}

/** SQL condition of a prepared statement. */
export interface FilterClause {
  readonly where: string;
  /** Ending of the statement's name: each set of filters, of seven parts, is a text of its own. */
  readonly variant: string;
  /** Values of the condition, in the order of their places. */
  readonly bound: readonly unknown[];
}

/** Condition on monitors `m` with their states `s`. `before`: number of values that the statement binds before those of the condition. */
export function filterClause(owner: Owner, filter: MonitorFilter, before: number): FilterClause {
  const like = filter.q === undefined ? undefined : `%${filter.q.replace(/[\\%_]/g, '\\$&')}%`;
  const parts: readonly [string, unknown, (place: string) => string][] = [
    ['type', filter.type, (place) => `m.type = ${place}`],
    ['status', filter.status, (place) => `m.status = ${place}`],
    ['health', filter.current_status, (place) => `s.health = ${place}`],
    ['group', filter.group_id, (place) => `m.group_id = ${place}`],
    ['tag', filter.tag?.toLowerCase(), (place) => `m.tags @> ARRAY[${place}::text]`],
    ['q', like, (place) => `(m.name ILIKE ${place} ESCAPE '\\' OR m.target ILIKE ${place} ESCAPE '\\')`],
  ];
  const given = parts.filter(([, value]) => value !== undefined);
  const conditions = given.map(([, , condition], index) => condition(`$${before + 2 + index}`));
  return {
    where: [ownedBy(owner, 'm', `$${before + 1}`), ...conditions].join(' AND '),
    variant: [...(owner.isTest ? ['test'] : []), ...given.map(([name]) => name)].map((name) => `-${name}`).join(''),
    bound: [owner.id, ...given.map(([, value]) => value)],
  };
}

/** Columns that an owner's changes write. */
function toColumns(monitor: MonitorFields) {
  return {
    id: monitor.id,
    owner_id: monitor.owner_id,
    created_by: monitor.created_by,
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
    alert_severity: JSON.stringify(monitor.alert_severity),
    notifies_owner: monitor.notifies_owner,
  };
}
