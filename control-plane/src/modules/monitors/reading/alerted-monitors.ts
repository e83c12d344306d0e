import type { MonitorHealth } from '@vantage/shared/monitor-state/quorum.js';
import type { Knex } from 'knex';
import type { MonitorAlertSeverity, MonitorStatus } from '../definition/schema.js';
import { maintenanceReads } from '../maintenance/maintenance-reads.js';
import { type AlertedRow, listAlerted } from './alerted-store.js';

/** A monitor as alerts about it need to know it. */
export interface AlertedMonitor {
  readonly id: string;
  readonly ownerId: string;
  readonly isTest: boolean;
  readonly name: string;
  readonly type: string;
  readonly target: string;
  /** In lower case. */
  readonly tags: readonly string[];
  readonly groupId: string | null;
  /** Severity of alerts by the type of the event. */
  readonly alertSeverity: MonitorAlertSeverity;
  readonly status: MonitorStatus;
  readonly health: MonitorHealth;
  readonly isFlapping: boolean;
  /** Start of a time without data that was published; null if there is none. Milliseconds since the epoch. */
  readonly noDataSinceMs: number | null;
  /** Present maintenance, or null. */
  readonly maintenance: { readonly untilMs: number | null } | null;
}

/** Monitors by id, with two statements for all of them; those that no longer exist are missing. */
export async function readAlertedMonitors(
  db: Knex,
  ids: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, AlertedMonitor>> {
  if (ids.length === 0) return new Map();
  const rows = await listAlerted(db, ids);
  const maintenance = await maintenanceReads.now(db, rows, nowMs);
  return new Map(
    rows.map((row) => {
      const { isNow = false, untilMs = null } = maintenance.get(row.id) ?? {};
      return [row.id, toMonitor(row, isNow ? { untilMs } : null)];
    }),
  );
}

function toMonitor(row: AlertedRow, maintenance: AlertedMonitor['maintenance']): AlertedMonitor {
  const { id, name, type, target, tags, status, health } = row;
  return {
    id,
    name,
    type,
    target,
    tags,
    status,
    health,
    maintenance,
    ownerId: row.owner_id,
    isTest: row.is_test,
    groupId: row.group_id,
    alertSeverity: row.alert_severity,
    isFlapping: row.is_flapping,
    noDataSinceMs: row.no_data_at?.getTime() ?? null,
  };
}
