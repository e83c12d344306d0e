import type { AssignmentSpec } from '@vantage/shared/monitor-types/assignment.js';
import type { MonitorType } from '@vantage/shared/monitor-types/index.js';
import type { Knex } from 'knex';
import type { ReadAssigned } from '../../links/index.js';
import type { Sealer } from '../../sealing.js';
import { type AssignmentRow, listAssignmentsOf } from './assignment-store.js';
import { joinSecrets, openSecrets } from './settings.js';

/** Reads what nodes are to watch, with the secrets that their checks need. */
export function assignedWork(db: Knex, sealer: Sealer): ReadAssigned {
  return async (nodeId) => {
    const rows = await listAssignmentsOf(db, nodeId);
    return rows.map((row) => ({
      monitorId: row.monitor_id,
      generation: row.generation,
      specJson: Buffer.from(JSON.stringify(specOf(row, sealer))),
    }));
  };
}

function specOf(row: AssignmentRow, sealer: Sealer): AssignmentSpec {
  const { type, target, config, sealed_secrets: sealed, interval_s, consecutive_fail, consecutive_ok } = row;
  const whole = { ...joinSecrets(config, openSecrets(sealed, sealer)) };
  return { type: type as MonitorType, target, config: whole, interval_s, consecutive_fail, consecutive_ok };
}
