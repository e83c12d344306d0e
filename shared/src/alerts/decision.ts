import type { AcknowledgedVia, AlertState, Hold, Resolution } from './alert.js';
import type { AlertPolicy, AlertSeverity, AlertType, ChannelChoice } from './policy.js';

/** Trigger of a decision: a change of a monitor or its alert, an act of a person, or the time. */
export type AlertTrigger =
  /** The monitor is down or degraded, or has no data: opens an alert, or changes the one that is open. */
  | {
      readonly kind: 'trouble';
      readonly type: AlertType;
      readonly severity: AlertSeverity;
      readonly startedAtMs: number;
      readonly monitorEventId: string | null;
    }
  /** The trouble is over, or the monitor is no longer checked. */
  | {
      readonly kind: 'over';
      readonly resolution: Exclude<Resolution, 'person' | 'policy_removed'>;
      readonly atMs: number;
    }
  | { readonly kind: 'acknowledge'; readonly by: string; readonly via: AcknowledgedVia }
  /** A person resolves the alert; no other opens until the monitor was up. */
  | { readonly kind: 'resolve'; readonly by: string }
  /** Time has passed, or something around the alert has changed. */
  | { readonly kind: 'look' };

/**
 * Reasons from outside of the policy to hold messages. `untilMs` is the instant at which one ends; null if it ends with another trigger.
 * When one begins or ends unforeseen, a look is due.
 */
export type AlertContext = {
  /** An absent hold does not apply. `quiet_hours` and `after_sec` are the policy's own, and the engine's to see. */
  readonly [H in Exclude<Hold, 'quiet_hours' | 'after_sec'>]?: { readonly untilMs: number | null };
};

export interface DecisionInput {
  /** Null if no alert is open. While one that a person resolved is given, no other opens: it is given until the monitor was up. */
  readonly alert: AlertState | null;
  readonly monitorId: string;
  /** The policy as it is now; null if it is gone or disabled, or no longer the monitor's. */
  readonly policy: AlertPolicy | null;
  /** Tags of the monitor, in lower case. */
  readonly tags: readonly string[];
  readonly context: AlertContext;
  /** Next instant at which something outside of the policy begins to hold, as far as it is known before; null if nothing does. */
  readonly nextHoldAtMs: number | null;
  readonly trigger: AlertTrigger;
  readonly nowMs: number;
}

/** A message that a decision makes for one channel. */
export interface Notification {
  readonly kind: 'firing' | 'severity' | 'reminder' | 'escalation' | 'acknowledged' | 'resolved';
  readonly choice: ChannelChoice;
  readonly severity: AlertSeverity;
  /** True if quiet hours held it until now: it is joined with the others of its channel. */
  readonly wasQuiet: boolean;
}

/** Entry of an alert's timeline. */
export interface TimelineEntry {
  readonly atMs: number;
  readonly what:
    | 'opened'
    | 'severity_raised'
    | 'changed'
    | 'held'
    | 'released'
    | 'dropped'
    | 'notified'
    | 'reminded'
    | 'escalated'
    | 'acknowledged'
    | 'ack_timed_out'
    | 'resolved';
  /** Channels, holds, steps: what the entry is about, for people and programs. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Consequences of a trigger. */
export interface Decision {
  /** Null if there is no alert. It is a new one if the timeline begins with `opened`. */
  readonly alert: AlertState | null;
  readonly notifications: readonly Notification[];
  readonly timeline: readonly TimelineEntry[];
  /** Changes that others are notified of (`alert.firing`, `alert.acknowledged`, `alert.resolved`). */
  readonly changes: readonly ('firing' | 'acknowledged' | 'resolved')[];
  /** Next instant at which something is due without a trigger; null if there is none. */
  readonly lookAtMs: number | null;
}
