import type { AlertStatus } from '@vantage/shared/alerts/alert.js';
import type { BundledAlert, BundleState } from '@vantage/shared/alerts/joining.js';
import type { AlertSeverity, AlertType } from '@vantage/shared/alerts/policy.js';
import type { Knex } from 'knex';
import { writeJsonRows } from '../../../db/json-rows.js';
import { Slices } from '../../../runtime/slices.js';
import type { SilencedColumns } from './silenced-alerts.js';

/** Stored bundle: messages of a channel that leave together. */
export interface BundleRow {
  /** Channel, group or `storm`, and a hash of the recipients if they are not all. */
  readonly id: string;
  readonly owner_id: string;
  /** True if its alerts are about monitors of test keys. */
  readonly is_test: boolean;
  readonly channel_id: string;
  /** Null for the bundle of the storm guard. */
  readonly group_id: string | null;
  readonly group_name: string | null;
  /** Null for all recipients of the channel. */
  readonly recipients: readonly string[] | null;
  readonly wait_ms: number;
  readonly interval_ms: number;
  readonly state: BundleState;
  /** Thread of its messages, from the first until all of its alerts are over; null if none began. */
  readonly thread: string | null;
  readonly due_at: Date | null;
}

/** Creates the bundles that do not exist, and locks all of them, in the order of their ids, until the transaction ends. */
export async function lockBundles(trx: Knex, wanted: readonly BundleRow[]): Promise<ReadonlyMap<string, BundleRow>> {
  const sorted = wanted.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  await trx.raw(
    `INSERT INTO alert_bundles SELECT (jsonb_populate_recordset(NULL::alert_bundles, ?)).* ON CONFLICT (id) DO NOTHING`,
    [JSON.stringify(sorted)],
  );
  const { rows } = await trx.raw<{ rows: BundleRow[] }>(
    'SELECT * FROM alert_bundles WHERE id = ANY(?) ORDER BY id FOR UPDATE',
    [sorted.map(({ id }) => id)],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Claims bundles whose message is due; no one else can claim them until the transaction ends. */
export async function claimBundles(trx: Knex, nowMs: number, limit: number): Promise<BundleRow[]> {
  const { rows } = await trx.raw<{ rows: BundleRow[] }>(
    'SELECT * FROM alert_bundles WHERE due_at <= ? ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED',
    [new Date(nowMs), limit],
  );
  return rows;
}

/** Stores changes of bundles that are locked. */
export async function updateBundles(trx: Knex, rows: readonly BundleRow[]): Promise<void> {
  if (rows.length === 0) return;
  await trx.raw(
    `UPDATE alert_bundles b SET state = n.state, thread = n.thread, due_at = n.due_at, group_name = n.group_name,
       wait_ms = n.wait_ms, interval_ms = n.interval_ms
     FROM jsonb_populate_recordset(NULL::alert_bundles, ?) n WHERE b.id = n.id`,
    [JSON.stringify(rows)],
  );
}

/** An alert's part in a bundle, as stored. */
export interface BundledRow extends BundledAlert {
  readonly bundleId: string;
}

/** Parts of these alerts in these bundles. */
export async function readParts(
  trx: Knex,
  { bundleIds, alertIds }: { readonly bundleIds: readonly string[]; readonly alertIds: readonly string[] },
): Promise<BundledRow[]> {
  const { rows } = await trx.raw<{ rows: PartRow[] }>(
    'SELECT * FROM alert_told WHERE bundle_id = ANY(?) AND alert_id = ANY(?)',
    [[...bundleIds], [...alertIds]],
  );
  return rows.map(partOf);
}

/** Stores parts of alerts in bundles. */
export async function storeParts(trx: Knex, parts: readonly BundledRow[]): Promise<void> {
  const rows = parts.map(({ bundleId, alertId, severity, isFiring, notifiedSeverity }) => ({
    bundle_id: bundleId,
    alert_id: alertId,
    severity,
    is_firing: isFiring,
    told_severity: notifiedSeverity,
  }));
  await writeJsonRows(rows, (json) =>
    trx.raw(
      `INSERT INTO alert_told SELECT (jsonb_populate_recordset(NULL::alert_told, ?)).*
       ON CONFLICT (bundle_id, alert_id) DO UPDATE
       SET severity = excluded.severity, is_firing = excluded.is_firing, told_severity = excluded.told_severity`,
      [json],
    ),
  );
}

/** An alert's part in a bundle, and the alert as it is now. */
export interface KnownPart extends BundledRow {
  readonly status: AlertStatus;
  readonly type: AlertType;
  readonly monitor: { readonly id: string; readonly name: string; readonly type: string; readonly target: string };
  readonly policy: { readonly id: string; readonly name: string };
  readonly startedAtMs: number;
  /** Number of changes of the alert. */
  readonly changes: number;
  readonly alert: SilencedColumns;
}

/** Steps of a part that is read, as `Slices` counts them. */
const STEPS_PER_PART = 5;

/** All parts of bundles with their alerts, the oldest first, so that bundles of the same alerts name the same ones; those of alerts that no longer exist are missing. */
export async function listParts(trx: Knex, bundleIds: readonly string[]): Promise<KnownPart[]> {
  const { rows } = await trx.raw<{ rows: (PartRow & AlertColumns)[] }>(
    `SELECT t.*, a.status, a.type, a.policy_id, a.policy_name, a.changes, a.monitor_name, a.monitor_type, a.monitor_target, a.started_at, a.owner_id, a.is_test, a.monitor_id,
       a.monitor_group_id, a.monitor_tags, a.severity AS alert_severity
     FROM alert_told t JOIN alerts a ON a.id = t.alert_id WHERE t.bundle_id = ANY(?) ORDER BY t.bundle_id, t.alert_id`,
    [[...bundleIds]],
  );
  const slices = new Slices();
  const parts: KnownPart[] = [];
  for (const row of rows) {
    await slices.spend(STEPS_PER_PART);
    parts.push(knownPartOf(row));
  }
  return parts;
}

function knownPartOf(row: PartRow & AlertColumns): KnownPart {
  const { owner_id, is_test, monitor_id, monitor_group_id, monitor_tags, status, alert_severity: severity } = row;
  return {
    ...partOf(row),
    status,
    type: row.type,
    monitor: { id: monitor_id, name: row.monitor_name, type: row.monitor_type, target: row.monitor_target },
    policy: { id: row.policy_id, name: row.policy_name },
    startedAtMs: row.started_at.getTime(),
    changes: row.changes,
    alert: { owner_id, is_test, monitor_id, monitor_group_id, monitor_tags, status, severity },
  };
}

/** Alerts that remain in a bundle. */
export interface KeptParts {
  readonly bundleId: string;
  /** True if its message was made. */
  readonly isNotified: boolean;
  readonly alertIds: readonly string[];
  /** Those of them that the message did not name. */
  readonly unnotifiedIds: readonly string[];
}

/** Leaves in each of these bundles the alerts that remain, as notified if its message was made and named them. */
export async function keepParts(trx: Knex, kept: readonly KeptParts[]): Promise<void> {
  const rows = kept.flatMap(({ bundleId, alertIds }) => alertIds.map((alertId) => ({ bundleId, alertId })));
  await trx.raw(
    `DELETE FROM alert_told t WHERE bundle_id = ANY(:bundles) AND NOT EXISTS (
       SELECT FROM unnest(:keptBundles::text[], :keptAlerts::text[]) AS k(bundle_id, alert_id)
       WHERE k.bundle_id = t.bundle_id AND k.alert_id = t.alert_id)`,
    {
      bundles: kept.map(({ bundleId }) => bundleId),
      keptBundles: rows.map(({ bundleId }) => bundleId),
      keptAlerts: rows.map(({ alertId }) => alertId),
    },
  );
  const unnotified = kept.flatMap(({ bundleId, unnotifiedIds }) =>
    unnotifiedIds.map((alertId) => ({ bundleId, alertId })),
  );
  await trx.raw(
    `UPDATE alert_told t SET told_severity = severity WHERE bundle_id = ANY(:bundles) AND NOT EXISTS (
       SELECT FROM unnest(:unnotifiedBundles::text[], :unnotifiedAlerts::text[]) AS u(bundle_id, alert_id)
       WHERE u.bundle_id = t.bundle_id AND u.alert_id = t.alert_id)`,
    {
      bundles: kept.filter(({ isNotified }) => isNotified).map(({ bundleId }) => bundleId),
      unnotifiedBundles: unnotified.map(({ bundleId }) => bundleId),
      unnotifiedAlerts: unnotified.map(({ alertId }) => alertId),
    },
  );
}

/** Channels whose bundles left alerts out because of a silence, by alert. */
export async function listLeftOut(
  trx: Knex,
  { alertIds, ownerIds }: { readonly alertIds: readonly string[]; readonly ownerIds: readonly string[] },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await trx.raw<{ rows: { alert_id: string; channels: string[] }[] }>(
    `SELECT t.alert_id, array_agg(DISTINCT b.channel_id) AS channels
     FROM alert_bundles b JOIN alert_told t ON t.bundle_id = b.id
     WHERE b.owner_id = ANY(:ownerIds) AND t.alert_id = ANY(:alertIds) AND b.due_at IS NULL AND ${IS_LEFT_OUT}
     GROUP BY t.alert_id`,
    { alertIds: [...alertIds], ownerIds: [...ownerIds] },
  );
  return new Map(rows.map(({ alert_id: id, channels }) => [id, channels]));
}

/** Condition on a part `t` of a bundle of which nothing waits: the last message did not name it. */
const IS_LEFT_OUT = 't.is_firing AND t.told_severity IS DISTINCT FROM t.severity';

/** Deletes parts of alerts that a silence kept back until their end. */
export async function deleteNeverNotified(db: Knex): Promise<void> {
  await db.raw(
    `DELETE FROM alert_told t USING alert_bundles b, alerts a WHERE b.id = t.bundle_id AND a.id = t.alert_id
       AND b.due_at IS NULL AND a.status = 'resolved' AND ${IS_LEFT_OUT}`,
  );
}

/** Deletes bundles of channels that no longer exist, with what they know. */
export async function deleteLostBundles(db: Knex): Promise<void> {
  await db.raw(
    `WITH gone AS (
       DELETE FROM alert_bundles b WHERE NOT EXISTS (SELECT FROM alert_channels c WHERE c.id = b.channel_id) RETURNING id
     ) DELETE FROM alert_told t USING gone WHERE t.bundle_id = gone.id`,
  );
}

/** Deletes the bundles of an owner, with what they know. */
export async function deleteBundlesOf(trx: Knex, ownerId: string): Promise<void> {
  await trx.raw('DELETE FROM alert_told WHERE bundle_id IN (SELECT id FROM alert_bundles WHERE owner_id = ?)', [
    ownerId,
  ]);
  await trx('alert_bundles').where({ owner_id: ownerId }).delete();
}

interface PartRow {
  readonly bundle_id: string;
  readonly alert_id: string;
  readonly severity: AlertSeverity;
  readonly is_firing: boolean;
  readonly told_severity: AlertSeverity | null;
}

interface AlertColumns extends Omit<SilencedColumns, 'severity'> {
  readonly alert_severity: AlertSeverity;
  readonly type: AlertType;
  readonly policy_id: string;
  readonly policy_name: string;
  readonly changes: number;
  readonly monitor_name: string;
  readonly monitor_type: string;
  readonly monitor_target: string;
  readonly started_at: Date;
}

function partOf(row: PartRow): BundledRow {
  return {
    bundleId: row.bundle_id,
    alertId: row.alert_id,
    severity: row.severity,
    isFiring: row.is_firing,
    notifiedSeverity: row.told_severity,
  };
}
