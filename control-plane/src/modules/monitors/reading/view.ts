import { createHash } from 'node:crypto';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { phaseOf, slotAt, slotStart } from '@vantage/shared/monitor-state/slots.js';
import type { Static } from 'typebox';
import { checkFlags } from '../checks/check-flags.js';
import { type CheckRow, outcomeCodes } from '../checks/check-store.js';
import type { MonitorCheckSchema, MonitorEventSchema, MonitorSchema } from '../definition/schema.js';
import type { KnownMonitorRow } from '../definition/store.js';
import type { EventRow } from '../events/event-store.js';
import type { HeartbeatTimes } from '../heartbeats/heartbeat-acts.js';

type Monitor = Static<typeof MonitorSchema>;

/** Monitor as its owner sees it. `uptimePercent`: of the last thirty days. */
export function monitorView(
  row: KnownMonitorRow,
  known: {
    readonly isInMaintenance: boolean;
    readonly uptimePercent: number | null;
    readonly nowMs: number;
    /** Times of a heartbeat; null if nodes check the monitor. */
    readonly heartbeat: HeartbeatTimes | null;
    readonly badgeUrl: string;
  },
): Monitor {
  const { consecutive_fail, consecutive_ok, fail_node_quorum, failing_nodes } = row;
  return {
    id: row.id,
    user_id: row.created_by,
    is_test: row.is_test,
    name: row.name,
    type: row.type,
    target: row.target,
    interval_s: row.interval_s,
    config: row.config,
    status: row.status,
    paused_reason: row.paused_reason,
    current_status: row.health,
    state_since: (row.changed_at ?? row.created_at).toISOString(),
    reason: row.health === 'down' || row.health === 'degraded' ? row.reason : null,
    group_id: row.group_id,
    tags: [...row.tags],
    node_count: row.node_count,
    ...(known.heartbeat === null ? { node_selection: row.node_selection } : {}),
    assigned_node_ids: [...row.node_ids],
    trigger_rule: { consecutive_fail, consecutive_ok, fail_node_quorum },
    alert_policy_id: row.alert_policy_id,
    alert_severity: row.alert_severity,
    notify_owner: row.notifies_owner,
    in_maintenance: known.isInMaintenance,
    uptime_percent: known.uptimePercent,
    advisory: failing_nodes.length === 0 ? null : { failing_nodes: [...failing_nodes] },
    last_check_at: (known.heartbeat?.lastPingAt ?? row.last_check_at)?.toISOString() ?? null,
    next_check_at: known.heartbeat?.deadline?.toISOString() ?? nextCheckAt(row, known.nowMs),
    badge_url: known.badgeUrl,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** Earliest next check by any of its nodes. */
function nextCheckAt({ id, interval_s, node_ids, status }: KnownMonitorRow, nowMs: number): string | null {
  if (status !== 'active' || node_ids.length === 0) return null;
  const intervalMs = interval_s * 1_000;
  const starts = node_ids.map((nodeId) => {
    const grid = { intervalMs, phaseMs: phaseOf(id, nodeId, intervalMs) };
    return slotStart(slotAt(nowMs, grid) + 1, grid);
  });
  return new Date(Math.min(...starts)).toISOString();
}

const outcomes = Object.entries(outcomeCodes).map(([name]) => name as keyof typeof outcomeCodes);

/** Start of a check, milliseconds since the epoch. */
export function beganAtMs({ at, late_ms }: CheckRow): number {
  return at.getTime() + late_ms;
}

/** A check of a monitor. */
export function checkView(
  monitorId: string,
  row: CheckRow,
  known: { readonly isInMaintenance: boolean; readonly details: Record<string, unknown> | null },
): Static<typeof MonitorCheckSchema> {
  const outcome = outcomes[row.outcome] ?? 'failed';
  return {
    id: checkId(monitorId, row),
    monitor_id: monitorId,
    node_id: row.node_id,
    started_at: new Date(beganAtMs(row)).toISOString(),
    success: outcome !== 'failed',
    outcome,
    response_ms: row.response_ms === null ? null : Math.round(row.response_ms),
    status_code: row.status_code,
    error: row.error,
    error_code: row.error === null ? null : row.error.slice(0, row.error.indexOf(':')),
    details: known.details,
    late: (row.flags & checkFlags.late) !== 0,
    in_maintenance: known.isInMaintenance,
    superseded: (row.flags & checkFlags.superseded) !== 0,
  };
}

/** Id of a check, which is not stored: monitor, node and time identify a check, so the id derived from them is always the same. */
function checkId(monitorId: string, { node_id: nodeId, at, late_ms: lateMs }: CheckRow): string {
  const digest = createHash('sha256').update(`${monitorId} ${nodeId} ${at.getTime()} ${lateMs}`).digest();
  return newId(idPrefixes.monitorCheck, at.getTime(), digest.subarray(0, 10));
}

/** An event as its monitor's owner sees it. */
export function eventView(row: EventRow): Static<typeof MonitorEventSchema> {
  const { started_at, ended_at, ack_at, resolved_at, created_at } = row;
  return {
    id: row.id,
    monitor_id: row.monitor_id,
    type: row.type,
    started_at: started_at.toISOString(),
    ended_at: ended_at?.toISOString() ?? null,
    duration_sec: ended_at === null ? null : Math.round((ended_at.getTime() - started_at.getTime()) / 1_000),
    affected_nodes: [...row.affected_nodes],
    reason: row.reason,
    is_false_positive: row.is_false_positive,
    ack_at: ack_at?.toISOString() ?? null,
    acknowledged_by: row.acknowledged_by,
    resolved_by: row.resolved_by,
    resolved_at: resolved_at?.toISOString() ?? null,
    notes: row.notes,
    backfilled: row.backfilled,
    disputed: row.disputed,
    created_at: created_at.toISOString(),
  };
}
