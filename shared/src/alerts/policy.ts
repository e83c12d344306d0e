// The parts of an alert policy, with every default filled in: as the API returns them, as they are stored, and as the engine
// reads them (API specification 2.5).

/** Severities of alerts, worst first. */
export const alertSeverities = ['critical', 'warning', 'info'] as const;
export type AlertSeverity = (typeof alertSeverities)[number];

/** Kinds of trouble that alerts are about, worst first. */
export const alertTypes = ['down', 'degraded', 'no_data'] as const;
export type AlertType = (typeof alertTypes)[number];

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];

/** Weekly window in the wall times of a zone. An end before its start is on the next day; an end equal to its start: the whole day. */
export interface TimeWindow {
  readonly days: readonly Weekday[];
  /** `HH:MM`. */
  readonly start: string;
  /** `HH:MM`. */
  readonly end: string;
  /** IANA name. */
  readonly timezone: string;
}

/** A channel that a policy names. */
export interface ChannelChoice {
  readonly channel_id: string;
  /** Recipients among those of the channel; null for all of them. */
  readonly to: readonly string[] | null;
}

/** Conditions of a rule, joined by AND, values within one by OR; an empty list or null matches any. */
export interface RuleMatch {
  readonly severity: readonly AlertSeverity[];
  readonly tags_any: readonly string[];
  readonly time_window: TimeWindow | null;
}

/** Repeated messages of an alert that still fires and is not acknowledged. */
export interface Repeat {
  readonly enabled: boolean;
  readonly interval_sec: number;
  readonly max_count: number;
}

export interface Rule {
  readonly match: RuleMatch;
  readonly channels: readonly ChannelChoice[];
  readonly delay_sec: number;
  readonly repeat: Repeat;
}

export interface EscalationStep {
  /** Seconds after the alert opened, or after its repetition began. */
  readonly after_sec: number;
  readonly channels: readonly ChannelChoice[];
  readonly schedule_id: null;
}

export interface Escalation {
  /** `after_sec` rises. */
  readonly steps: readonly EscalationStep[];
  /** Repetitions of all steps after the last one. */
  readonly repeat: number;
  /** Seconds after which an acknowledged alert fires again; 0: never. */
  readonly ack_timeout_sec: number;
}

export interface OnRecovery {
  readonly notify: boolean;
  readonly delay_sec: number;
  /** Channels in addition to those that were notified of the alert. */
  readonly channels: readonly ChannelChoice[];
}

/** Times in which messages below a severity are held or dropped. */
export interface QuietHours extends TimeWindow {
  /** Severities that are less than this one are quiet. */
  readonly below: 'warning' | 'critical';
  readonly action: 'hold' | 'drop';
}

export interface Suppression {
  /** Seconds that trouble must last before anyone is notified. */
  readonly after_sec: number;
  readonly quiet_hours: readonly QuietHours[];
  /** `notice`: a notice when flapping begins and when it is over; `all`: every event; `none`: nothing. */
  readonly flapping: 'notice' | 'all' | 'none';
  /** Ids of monitors: while one of them is down, alerts of others are held. */
  readonly depends_on: readonly string[];
  /** Seconds without a result after which an alert opens; 0: never. */
  readonly no_data_after_sec: number;
}

/** A policy as the engine reads it. */
export interface AlertPolicy {
  readonly id: string;
  readonly rules: readonly Rule[];
  readonly escalation: Escalation;
  readonly on_recovery: OnRecovery;
  readonly suppression: Suppression;
}
