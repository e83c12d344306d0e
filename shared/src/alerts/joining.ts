import type { Notification } from './decision.js';
import { type AlertSeverity, alertSeverities } from './policy.js';

// Messages of alerts on one channel leave alone or together. Together they are a bundle: of a group rule, or of a storm.
//
//   group    every message ──joins──> bundle ──first: wait, then: at most each interval──> one message
//   storm    message ──fewer than five within 60 s──> leaves alone
//                    └─sixth and further; or its alert is in the bundle──> bundle ──30 s, at most each 300 s──> one message
//                    └─the limits of the channel have no room, or quiet hours held it──> the same
//
// When a bundle is due, its message is about the alerts that fire and those that it notified before; none is sent if nothing changed.

/** Times of a group rule, or of the storm guard. */
export interface BundleTimes {
  /** From the first message that joins to the message of the bundle. */
  readonly waitMs: number;
  /** From one message of the bundle to the next. */
  readonly intervalMs: number;
}

/** Times of the storm guard. */
export const stormTimes: BundleTimes = { waitMs: 30_000, intervalMs: 300_000 };

/** Messages that leave alone within the time of the storm guard. */
const MOST_ALONE = 5;
const STORM_WINDOW_MS = 60_000;

/** Reasons why messages join without a group. */
export type JoinCause = 'storm' | 'rate' | 'quiet_hours';

/** State of a bundle on a channel. Instants in milliseconds since the epoch. */
export interface BundleState {
  /** Instants of the last messages of the channel, alone or joined, oldest first; only of the storm bundle. */
  readonly recentAtMs: readonly number[];
  /** Instant of the first change that waits for the next message; null if none waits. */
  readonly waitingSinceMs: number | null;
  /** Instant of the last message of the bundle that left; null if there was none, or all of it was over since. */
  readonly lastSentAtMs: number | null;
  /** True if a message waits that changes no alert of the bundle: a reminder, a step of the escalation, an acknowledgement. */
  readonly repeats: boolean;
  /** Reason why the first of the messages joined that wait, or of the last ones that waited; only of the storm bundle. */
  readonly cause?: JoinCause;
  /** Sequence of the last message of the bundle, which rises; absent: there was none. */
  readonly sequence?: number;
}

/** Bundle that nothing has joined. */
export const emptyBundle: BundleState = { recentAtMs: [], waitingSinceMs: null, lastSentAtMs: null, repeats: false };

/** Change that a message of a bundle reports compared with the previous one, as in Alertmanager. */
export type BundleChange = 'first' | 'new' | 'severity' | 'resolved' | 'repeat' | 'none';

/** An alert's part in a bundle. */
export interface BundledAlert {
  readonly alertId: string;
  readonly severity: AlertSeverity;
  readonly isFiring: boolean;
  /** Severity that the channel was notified of, by the bundle or before the alert joined it; null if it was not notified of the alert. */
  readonly notifiedSeverity: AlertSeverity | null;
}

/** Message of a bundle: its alerts, most severe first. */
export interface BundleMessage {
  readonly change: Exclude<BundleChange, 'none'>;
  /** Alerts that fire. */
  readonly firing: readonly BundledAlert[];
  /** Those of them that are notified for the first time. */
  readonly opened: readonly BundledAlert[];
  /** Those of them that are more severe than was notified. */
  readonly raised: readonly BundledAlert[];
  /** Alerts that were notified, and are over. */
  readonly resolved: readonly BundledAlert[];
}

/** A message that may join a bundle. */
export interface Joining {
  readonly kind: Notification['kind'];
  /** True if its alert is part of the bundle: an alert that one message opened, the next one ends. */
  readonly isMember: boolean;
  readonly wasQuiet: boolean;
  /** False if the limits of the channel would keep it waiting. */
  readonly hasRoom: boolean;
}

/** Storm guard: lets a message of a channel leave alone, or has it join the storm bundle of the channel. */
export function joinStorm(
  state: BundleState,
  message: Joining,
  nowMs: number,
): { readonly state: BundleState; readonly isJoined: boolean } {
  const recent = state.recentAtMs.filter((atMs) => atMs > nowMs - STORM_WINDOW_MS);
  const cause = causeOf(state, message, recent.length);
  const counted = { ...state, recentAtMs: [...recent, nowMs].slice(-MOST_ALONE) };
  if (cause === null) return { state: counted, isJoined: false };
  const first = state.waitingSinceMs === null ? cause : (state.cause ?? cause);
  return { state: { ...joinGroup(counted, message, nowMs), cause: first }, isJoined: true };
}

/** @returns null if the message leaves alone */
function causeOf(state: BundleState, { isMember, wasQuiet, hasRoom }: Joining, recent: number): JoinCause | null {
  if (wasQuiet) return 'quiet_hours';
  if (recent >= MOST_ALONE) return 'storm';
  if (!hasRoom) return 'rate';
  return isMember ? (state.cause ?? 'storm') : null;
}

/** Has a message of a channel join the bundle of a group. */
export function joinGroup(state: BundleState, { kind }: Pick<Joining, 'kind'>, nowMs: number): BundleState {
  const changesAlert = kind === 'firing' || kind === 'severity' || kind === 'resolved';
  return {
    ...state,
    waitingSinceMs: state.waitingSinceMs ?? nowMs,
    repeats: state.repeats || !changesAlert,
  };
}

/** Instant at which the message of a bundle is due; null if nothing waits. */
export function bundleDueAt(state: BundleState, { waitMs, intervalMs }: BundleTimes): number | null {
  const { waitingSinceMs, lastSentAtMs } = state;
  if (waitingSinceMs === null) return null;
  if (lastSentAtMs === null) return waitingSinceMs + waitMs;
  // after a quiet time, changes that come together are one message, too
  return Math.max(waitingSinceMs + Math.min(waitMs, intervalMs), lastSentAtMs + intervalMs);
}

/** Message of a bundle that is due; null if nothing changed. With the bundle and its alerts afterwards: those that are over leave it. */
export function planBundle(
  state: BundleState,
  alerts: readonly BundledAlert[],
  nowMs: number,
): { readonly state: BundleState; readonly message: BundleMessage | null; readonly alerts: readonly BundledAlert[] } {
  const message = messageOf(state, alerts);
  const firing = alerts.filter(({ isFiring }) => isFiring);
  const lastSentAtMs = message === null ? state.lastSentAtMs : nowMs;
  return {
    state: {
      ...state,
      waitingSinceMs: null,
      lastSentAtMs: firing.length === 0 ? null : lastSentAtMs,
      repeats: false,
    },
    message,
    alerts: message === null ? firing : firing.map((alert) => ({ ...alert, notifiedSeverity: alert.severity })),
  };
}

function messageOf(state: BundleState, alerts: readonly BundledAlert[]): BundleMessage | null {
  const sorted = alerts.toSorted((a, b) => rankOf(a.severity) - rankOf(b.severity));
  const firing = sorted.filter(({ isFiring }) => isFiring);
  const parts = {
    firing,
    opened: firing.filter(({ notifiedSeverity }) => notifiedSeverity === null),
    raised: firing.filter(
      ({ severity, notifiedSeverity }) => notifiedSeverity !== null && rankOf(severity) < rankOf(notifiedSeverity),
    ),
    resolved: sorted.filter(({ isFiring, notifiedSeverity }) => !isFiring && notifiedSeverity !== null),
  };
  const change = changeOf(state, parts);
  return change === 'none' ? null : { change, ...parts };
}

function changeOf(
  { lastSentAtMs, repeats }: BundleState,
  { firing, opened, raised, resolved }: Omit<BundleMessage, 'change'>,
): BundleChange {
  if (opened.length > 0) return lastSentAtMs === null ? 'first' : 'new';
  if (raised.length > 0) return 'severity';
  if (resolved.length > 0) return 'resolved';
  return repeats && firing.length > 0 ? 'repeat' : 'none';
}

function rankOf(severity: AlertSeverity): number {
  return alertSeverities.indexOf(severity);
}
