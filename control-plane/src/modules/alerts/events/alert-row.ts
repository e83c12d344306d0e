import type { AlertState, AlertStatus } from '@vantage/shared/alerts/alert.js';
import type { AlertSeverity, AlertType } from '@vantage/shared/alerts/policy.js';

/** Stored alert. Its state is that of the engine; other columns repeat what lists filter by, and name its monitor and policy. */
export interface AlertRow {
  /** `ae_…` */
  readonly id: string;
  readonly owner_id: string;
  readonly is_test: boolean;
  readonly policy_id: string;
  readonly policy_name: string;
  readonly monitor_id: string;
  readonly monitor_name: string;
  readonly monitor_type: string;
  readonly monitor_target: string;
  readonly monitor_tags: readonly string[];
  readonly monitor_group_id: string | null;
  readonly status: AlertStatus;
  readonly type: AlertType;
  readonly severity: AlertSeverity;
  readonly started_at: Date;
  readonly created_at: Date;
  readonly resolved_at: Date | null;
  /** Reason that the nodes reported, or null. */
  readonly reason: string | null;
  /** Ids of nodes. */
  readonly affected_nodes: readonly string[];
  /** Instant of the next step of the escalation; null if none follows. */
  readonly next_step_at: Date | null;
  /** True if a user resolved it and the monitor has not been up since. */
  readonly awaits_up: boolean;
  readonly state: AlertState;
  /** Number of changes. */
  readonly changes: number;
  /** Instant of the next look, or null. */
  readonly look_at: Date | null;
  /** Group, or `storm:` and the channel, whose bundle the last joined message about it went into; null if none was joined. */
  readonly group_key: string | null;
}

/** Columns that repeat parts of the state. */
export function columnsOfState(state: AlertState) {
  const { status, type, severity, startedAtMs, openedAtMs, resolvedAtMs } = state;
  return {
    status,
    type,
    severity,
    state,
    started_at: new Date(startedAtMs),
    created_at: new Date(openedAtMs),
    resolved_at: resolvedAtMs === null ? null : new Date(resolvedAtMs),
  };
}
