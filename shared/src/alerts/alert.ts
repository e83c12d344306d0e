import { type AlertSeverity, type AlertType, alertSeverities, alertTypes, type ChannelChoice } from './policy.js';

export const alertStatuses = ['firing', 'acknowledged', 'resolved'] as const;
export type AlertStatus = (typeof alertStatuses)[number];

/** How an alert was resolved. */
export const resolutions = ['recovered', 'person', 'paused', 'archived', 'deleted', 'policy_removed'] as const;
export type Resolution = (typeof resolutions)[number];

/** Reasons to keep messages of an alert back. */
export const holds = ['silence', 'maintenance', 'quiet_hours', 'dependency', 'flapping', 'after_sec'] as const;
export type Hold = (typeof holds)[number];

/** How an alert was acknowledged. */
export const acknowledgedVia = ['api', 'link', 'monitor_event'] as const;
export type AcknowledgedVia = (typeof acknowledgedVia)[number];

/** Trouble that an alert is about: its kind, and how severe it is. */
export interface Trouble {
  readonly type: AlertType;
  readonly severity: AlertSeverity;
}

/** A message that is planned for a channel, from a rule. */
export interface PlannedNotification {
  readonly choice: ChannelChoice;
  readonly atMs: number;
  /** Index of the rule, for its repeats; null for a step of the escalation, whose message was lost. */
  readonly rule: number | null;
}

/** Knowledge of a channel about an alert: the last message that it was sent. */
export interface NotifiedChannel extends Trouble {
  readonly choice: ChannelChoice;
  readonly firstAtMs: number;
  /** Time of the last message of the kinds firing, severity and reminder. */
  readonly lastAtMs: number;
  readonly reminders: number;
  /** True if the last message said that the alert is acknowledged. */
  readonly isAcknowledged: boolean;
  /** Index of the rule whose repeat applies; null if it was notified by a step of the escalation, and is not reminded. */
  readonly rule: number | null;
}

/** Progress of the escalation. */
export interface EscalationState {
  /** Instant from which `after_sec` counts. */
  readonly fromMs: number;
  /** Index of the next step. */
  readonly step: number;
  readonly round: number;
  /** Instant since which the steps stand still (acknowledged, held); the time is added to `fromMs` when they go on. Null if they run. */
  readonly pausedSinceMs: number | null;
}

/** State of an alert: all that the next decision needs to know of the earlier ones. Instants in milliseconds since the epoch. */
export interface AlertState extends Trouble {
  readonly status: AlertStatus;
  /** Start of the monitor event, or of the time without data. */
  readonly startedAtMs: number;
  readonly openedAtMs: number;
  readonly monitorEventId: string | null;
  readonly acknowledgedAtMs: number | null;
  readonly acknowledgedBy: string | null;
  readonly acknowledgedVia: AcknowledgedVia | null;
  readonly resolvedAtMs: number | null;
  readonly resolution: Resolution | null;
  readonly heldBy: readonly Hold[];
  readonly planned: readonly PlannedNotification[];
  readonly told: readonly NotifiedChannel[];
  readonly escalation: EscalationState;
  /** Instant of a recovery that waits to be notified: the alert lasts until then. Null if none waits. */
  readonly recoveredAtMs: number | null;
  /** Instant at which that recovery is notified, and resolves the alert (`on_recovery.delay_sec`). */
  readonly recoveryTellAtMs: number | null;
  /** Next instant at which the time window of a rule begins, which is a reason to notify; null if none does, or the alert does not fire. */
  readonly windowAtMs: number | null;
}

/** True if `trouble` is worse than `known`: of a worse kind, or of the same and more severe. */
export function isWorse(trouble: Trouble, known: Trouble): boolean {
  const kinds = alertTypes.indexOf(known.type) - alertTypes.indexOf(trouble.type);
  const severities = alertSeverities.indexOf(known.severity) - alertSeverities.indexOf(trouble.severity);
  return kinds > 0 || (kinds === 0 && severities > 0);
}
