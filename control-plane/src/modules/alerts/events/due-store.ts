import type { Knex } from 'knex';
import { commitSignal } from '../../../db/commit-signal.js';

/** Alerts that are to be looked at at once, as soon as their marks are committed. */
export const dueNow = commitSignal<void>('onAlertsDueNow');

/** Marks alerts to be looked at, each at its instant. */
export async function insertDue(
  trx: Knex,
  looks: readonly { readonly alertId: string; readonly atMs: number }[],
): Promise<void> {
  if (looks.length === 0) return;
  await trx.raw(
    'INSERT INTO alert_due (alert_id, due_at) SELECT * FROM unnest(?::text[], ?::timestamptz[]) AS l(alert_id, due_at)',
    [looks.map(({ alertId }) => alertId), looks.map(({ atMs }) => new Date(atMs).toISOString())],
  );
}

/** Marks the alerts of owners that are not resolved to be looked at now. */
export async function queueAlertsOf(trx: Knex, ownerIds: readonly string[]): Promise<void> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    "INSERT INTO alert_due (alert_id) SELECT id FROM alerts WHERE owner_id = ANY(?) AND status <> 'resolved'",
    [[...ownerIds]],
  );
  if (rowCount > 0) dueNow.send(trx);
}

/** Marks the alerts of monitors that are not resolved to be looked at now. */
export async function queueAlertsOfMonitors(trx: Knex, monitorIds: readonly string[]): Promise<void> {
  if (monitorIds.length === 0) return;
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    "INSERT INTO alert_due (alert_id) SELECT id FROM alerts WHERE monitor_id = ANY(?) AND status <> 'resolved'",
    [[...monitorIds]],
  );
  if (rowCount > 0) dueNow.send(trx);
}

/** A mark that is due. */
export interface DueLook {
  readonly id: number;
  readonly alert_id: string;
}

/** Claims marks that are due; no one else can claim them until the transaction ends. */
export async function claimDue(trx: Knex, nowMs: number, limit: number): Promise<DueLook[]> {
  const { rows } = await trx.raw<{ rows: DueLook[] }>(
    'SELECT id, alert_id FROM alert_due WHERE due_at <= ? ORDER BY due_at, id LIMIT ? FOR UPDATE SKIP LOCKED',
    [new Date(nowMs), limit],
  );
  return rows;
}

/** Deletes marks. */
export async function deleteDue(trx: Knex, ids: readonly number[]): Promise<void> {
  await trx.raw('DELETE FROM alert_due WHERE id = ANY(?::bigint[])', [[...ids]]);
}

/** Postpones marks of alerts that another transaction had locked. */
export async function postponeDue(trx: Knex, ids: readonly number[], untilMs: number): Promise<void> {
  await trx.raw('UPDATE alert_due SET due_at = ? WHERE id = ANY(?::bigint[])', [new Date(untilMs), [...ids]]);
}
