import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { type Static, Type } from 'typebox';
import { AlertRecordSchema } from '../../../events/index.js';
import { IsTestSchema } from '../../../http/is-test.js';
import type { AlertRow } from './alert-row.js';

/** An alert event in a list (API specification 2.5). */
export const AlertEventSchema = Type.Object(
  {
    ...AlertRecordSchema.properties,
    id: Type.String({ pattern: idPattern(idPrefixes.alertEvent) }),
    is_test: IsTestSchema,
  },
  { additionalProperties: false, title: 'AlertEvent' },
);

/** An alert as events and webhooks show it. */
export function alertRecord(row: AlertRow): Static<typeof AlertRecordSchema> {
  const { state } = row;
  return {
    id: row.id,
    policy_id: row.policy_id,
    monitor_id: row.monitor_id,
    type: row.type,
    status: row.status,
    started_at: row.started_at.toISOString(),
    acknowledged_at: textOf(state.acknowledgedAtMs),
    acknowledged_by: state.acknowledgedBy,
    resolved_at: textOf(state.resolvedAtMs),
    metadata: {
      severity: row.severity,
      monitor: { id: row.monitor_id, name: row.monitor_name, type: row.monitor_type, target: row.monitor_target },
      monitor_event_id: state.monitorEventId,
      reason: row.reason,
      affected_nodes: [...row.affected_nodes],
      notified: state.told.length > 0,
      held_by: [...state.heldBy],
      group_key: row.group_key,
      next_step_at: row.next_step_at?.toISOString() ?? null,
      acknowledged_via: state.acknowledgedVia,
      resolution: state.resolution,
    },
    created_at: row.created_at.toISOString(),
  };
}

/** An alert as the API shows it. */
export function alertView(row: AlertRow): Static<typeof AlertEventSchema> {
  return { ...alertRecord(row), is_test: row.is_test };
}

function textOf(instantMs: number | null): string | null {
  return instantMs === null ? null : new Date(instantMs).toISOString();
}
