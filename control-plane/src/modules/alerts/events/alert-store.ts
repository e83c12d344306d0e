import type { Knex } from 'knex';
import { writeJsonRows } from '../../../db/json-rows.js';
import { literalOf } from '../../../db/literal.js';
import { type CountedPage, queryNamed, queryPage } from '../../../db/named.js';
import { queryPrepared } from '../../../db/prepared.js';
import { type Owner, ownedBy } from '../../../owners/index.js';
import type { AlertRow } from './alert-row.js';

/**
 * Alerts of monitors that are not resolved, or that a user resolved while the monitor was not up, in the order of their ids, locked until
 * the transaction ends: at most one for each policy of a monitor.
 */
export async function lockPresentAlerts(trx: Knex, monitorIds: readonly string[]): Promise<AlertRow[]> {
  const { rows } = await trx.raw<{ rows: AlertRow[] }>(
    "SELECT * FROM alerts WHERE monitor_id = ANY(?) AND (status <> 'resolved' OR awaits_up) ORDER BY id FOR UPDATE",
    [[...monitorIds]],
  );
  return rows;
}

/** Those of the alerts that are not resolved and that no other transaction has locked, in the order of their ids, locked. */
export async function lockFreeAlerts(trx: Knex, ids: readonly string[]): Promise<AlertRow[]> {
  const { rows } = await trx.raw<{ rows: AlertRow[] }>(
    "SELECT * FROM alerts WHERE id = ANY(?) AND status <> 'resolved' ORDER BY id FOR UPDATE SKIP LOCKED",
    [[...ids]],
  );
  return rows;
}

/** Those of the alerts that fire, in the order of their ids, locked until the transaction ends. */
export async function lockFiring(trx: Knex, ids: readonly string[]): Promise<AlertRow[]> {
  const { rows } = await trx.raw<{ rows: AlertRow[] }>(
    "SELECT * FROM alerts WHERE id = ANY(?) AND status = 'firing' ORDER BY id FOR UPDATE",
    [[...ids]],
  );
  return rows;
}

/** Ids of those of the alerts that are not resolved. */
export async function listUnresolved(db: Knex, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    "SELECT id FROM alerts WHERE id = ANY(?) AND status <> 'resolved'",
    [[...ids]],
  );
  return rows.map(({ id }) => id);
}

/** Alert of an owner (null for any owner), locked until the transaction ends; null if there is no such alert. */
export async function lockAlert(trx: Knex, id: string, owner: Owner | null): Promise<AlertRow | null> {
  const { rows } = await trx.raw<{ rows: AlertRow[] }>(
    `SELECT * FROM alerts WHERE id = :id AND ${owner === null ? 'true' : ownedBy(owner)} FOR UPDATE`,
    { id, ownerId: owner?.id ?? null },
  );
  return rows[0] ?? null;
}

/** Notes that monitors are up, or that no one looks at them any more. */
export async function noteUp(trx: Knex, monitorIds: readonly string[]): Promise<void> {
  await trx('alerts').whereIn('monitor_id', monitorIds).where({ awaits_up: true }).update({ awaits_up: false });
}

/** Stores new alerts and changes of stored ones, with one statement. */
export async function storeAlerts(trx: Knex, rows: readonly AlertRow[]): Promise<void> {
  await writeJsonRows(rows, (json) =>
    trx.raw(
      `INSERT INTO alerts SELECT (jsonb_populate_recordset(NULL::alerts, ?)).*
       ON CONFLICT (id) DO UPDATE SET ${CHANGED.map((column) => `${column} = excluded.${column}`).join(', ')}`,
      [json],
    ),
  );
}

const COLUMNS = `id, owner_id, is_test, policy_id, policy_name, monitor_id, monitor_name, monitor_type, monitor_target, monitor_tags,
  monitor_group_id, status, type, severity, started_at, created_at, resolved_at, reason, affected_nodes, next_step_at, awaits_up, state,
  changes, look_at, group_key`;

const CHANGED = [
  'policy_name',
  'monitor_name',
  'monitor_type',
  'monitor_target',
  'monitor_tags',
  'monitor_group_id',
  'status',
  'type',
  'severity',
  'started_at',
  'resolved_at',
  'reason',
  'affected_nodes',
  'next_step_at',
  'awaits_up',
  'state',
  'changes',
  'look_at',
  'group_key',
] as const satisfies readonly (keyof AlertRow)[];

/** Alert of an owner; null if there is no such alert. */
export async function findAlert(db: Knex, id: string, owner: Owner): Promise<AlertRow | null> {
  const sql = `SELECT ${COLUMNS} FROM alerts WHERE id = :id AND ${ownedBy(owner)}`;
  const [row] = await queryNamed<AlertRow>(db, 'alert', sql, { id, ownerId: owner.id });
  return row ?? null;
}

/** Alerts by id, of any owner. */
export async function readAlerts(db: Knex, ids: readonly string[]): Promise<ReadonlyMap<string, AlertRow>> {
  const { rows } = await db.raw<{ rows: AlertRow[] }>('SELECT * FROM alerts WHERE id = ANY(?)', [[...new Set(ids)]]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Ids of the last alerts of monitors by these policies, by `<monitor> <policy>`; missing where there was none. */
export async function readLatestAlerts(
  db: Knex,
  of: readonly { readonly monitorId: string; readonly policyId: string }[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await queryPrepared<{ monitor_id: string; policy_id: string; id: string }>(db, LATEST, [
    of.map(({ monitorId }) => monitorId),
    of.map(({ policyId }) => policyId),
  ]);
  return new Map(rows.map(({ monitor_id, policy_id, id }) => [`${monitor_id} ${policy_id}`, id]));
}

const LATEST = {
  name: 'alerts-latest',
  text: `SELECT w.monitor_id, w.policy_id, a.id FROM unnest($1::text[], $2::text[]) AS w(monitor_id, policy_id)
    JOIN monitors m ON m.id = w.monitor_id
    CROSS JOIN LATERAL (
      SELECT id FROM alerts WHERE owner_id = m.owner_id AND monitor_id = m.id AND policy_id = w.policy_id ORDER BY id DESC LIMIT 1
    ) a`,
};

/** Columns of an alert that decide whether a message about it is needed. */
export type AlertColumns = Pick<
  AlertRow,
  | 'id'
  | 'owner_id'
  | 'is_test'
  | 'monitor_id'
  | 'monitor_name'
  | 'monitor_group_id'
  | 'monitor_tags'
  | 'status'
  | 'type'
  | 'severity'
  | 'created_at'
>;

/** Same as `readAlerts`, without states: of any number of alerts. */
export async function readAlertColumns(db: Knex, ids: readonly string[]): Promise<ReadonlyMap<string, AlertColumns>> {
  const { rows } = await db.raw<{ rows: AlertColumns[] }>(
    `SELECT id, owner_id, is_test, monitor_id, monitor_name, monitor_group_id, monitor_tags, status, type, severity, created_at
     FROM alerts WHERE id = ANY(?)`,
    [[...new Set(ids)]],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Conditions of a list of alerts; undefined matches any. */
export interface AlertFilter {
  readonly status: string | undefined;
  readonly severity: string | undefined;
  readonly policyId: string | undefined;
  readonly monitorId: string | undefined;
  readonly type: string | undefined;
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** Part of a list: after an alert, or `offset` from the first. */
export interface AlertPage {
  /** Id of the last alert of the previous page; null if `offset` counts. */
  readonly after: string | null;
  readonly offset: number;
  readonly limit: number;
}

/** Alerts of an owner, newest first, and the number of all. */
export function listAlerts(
  db: Knex,
  owner: Owner,
  { after, offset, limit, ...filter }: AlertFilter & AlertPage,
): Promise<CountedPage<AlertRow>> {
  const where = [
    ownedBy(owner),
    // no parameter, which a plan for any parameters would not look up in the partial index
    ...(filter.status === undefined ? [] : [`status = ${literalOf(filter.status)}`]),
    ...(filter.severity === undefined ? [] : ['severity = :severity']),
    ...(filter.policyId === undefined ? [] : ['policy_id = :policyId']),
    ...(filter.monitorId === undefined ? [] : ['monitor_id = :monitorId']),
    ...(filter.type === undefined ? [] : ['type = :type']),
    ...(filter.fromMs === null ? [] : ['created_at >= :from']),
    ...(filter.toMs === null ? [] : ['created_at < :to']),
  ].join(' AND ');
  const values = {
    ownerId: owner.id,
    severity: filter.severity ?? null,
    policyId: filter.policyId ?? null,
    monitorId: filter.monitorId ?? null,
    type: filter.type ?? null,
    from: filter.fromMs === null ? null : new Date(filter.fromMs),
    to: filter.toMs === null ? null : new Date(filter.toMs),
  };
  const isAfter = after === null ? undefined : 'id < :after';
  const query = { name: 'alerts', columns: COLUMNS, from: 'alerts', where, after: isAfter, orderBy: 'id DESC' };
  return queryPage<AlertRow>(db, query, { ...values, after, limit, offset: after === null ? offset : 0 });
}

/** Number of alerts that are not resolved, by status and severity. */
export async function countOpenAlerts(
  db: Knex,
): Promise<{ readonly status: string; readonly severity: string; readonly count: number }[]> {
  const { rows } = await db.raw<{ rows: { status: string; severity: string; count: number }[] }>(
    "SELECT status, severity, count(*)::int AS count FROM alerts WHERE status <> 'resolved' GROUP BY status, severity",
  );
  return rows;
}

const DELETED_AT_ONCE = 10_000;

/** Deletes alerts that were resolved before an instant, with their timelines. */
export async function deleteAlertsBefore(db: Knex, before: Date): Promise<void> {
  await db.raw(
    `WITH gone AS (
       DELETE FROM alerts WHERE id IN (
         SELECT id FROM alerts WHERE status = 'resolved' AND resolved_at < :before LIMIT ${DELETED_AT_ONCE}
       ) RETURNING id
     ) DELETE FROM alert_timeline t USING gone WHERE t.alert_id = gone.id`,
    { before },
  );
}

export async function deleteAlertsOf(trx: Knex, ownerId: string): Promise<void> {
  await trx('alert_timeline').where({ owner_id: ownerId }).delete();
  await trx('alerts').where({ owner_id: ownerId }).delete();
}
