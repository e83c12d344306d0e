import type { MonitorHealth } from '@vantage/shared/monitor-state/quorum.js';
import type { Knex } from 'knex';
import type { MonitorAlertSeverity, MonitorStatus } from '../definition/schema.js';

/** Columns of a monitor that alerts about it need. */
export interface AlertedRow {
  readonly id: string;
  readonly owner_id: string;
  readonly is_test: boolean;
  readonly name: string;
  readonly type: string;
  readonly target: string;
  readonly tags: readonly string[];
  readonly group_id: string | null;
  readonly alert_severity: MonitorAlertSeverity;
  readonly status: MonitorStatus;
  readonly health: MonitorHealth;
  readonly is_flapping: boolean;
  readonly no_data_at: Date | null;
}

/** Those of the monitors that exist, of any owner. */
export async function listAlerted(db: Knex, ids: readonly string[]): Promise<AlertedRow[]> {
  const { rows } = await db.raw<{ rows: AlertedRow[] }>(
    `SELECT m.id, m.owner_id, m.is_test, m.name, m.type, m.target, m.tags, m.group_id, m.alert_severity, m.status,
       s.health, s.is_flapping, s.no_data_at
     FROM monitors m JOIN monitor_states s ON s.monitor_id = m.id WHERE m.id = ANY(?)`,
    [[...ids]],
  );
  return rows;
}
