import type { Message, Severity } from '../message.js';

/** Fields of a message that do not depend on its subject. */
export interface Envelope {
  /** Id of the delivery. */
  readonly id: string;
  /** Id of the alert, group or digest whose messages belong together. */
  readonly thread: string;
  readonly payload: Message['payload'];
}

export type AlertType = 'down' | 'degraded' | 'no_data';

/** Reason why an alert ended. */
export type Resolution = 'recovered' | 'person' | 'paused' | 'archived' | 'deleted' | 'policy_removed';

/** Monitor that a message is about. */
export interface MonitorFacts {
  readonly name: string;
  readonly type: string;
  /** Target as it may be shown; empty: it has none. */
  readonly target: string;
}

/** State of one alert, at the instant of its message. */
export interface AlertFacts extends Envelope {
  readonly kind: 'firing' | 'severity' | 'reminder' | 'escalation' | 'acknowledged' | 'resolved';
  readonly type: AlertType;
  readonly severity: Severity;
  readonly monitor: MonitorFacts;
  /** Wall clock, milliseconds since the epoch, as all instants here. */
  readonly nowMs: number;
  readonly startedAtMs: number;
  /** Null while the alert is open. */
  readonly resolvedAtMs: number | null;
  readonly resolution: Resolution | null;
  /** Reason that the nodes reported, or null. */
  readonly reason: string | null;
  /** Names of the nodes that saw it. */
  readonly nodes: readonly string[];
  /** Person who acknowledged it; null if no one has. */
  readonly acknowledgedBy: string | null;
  /** Note of that person; null if there is none. */
  readonly note: string | null;
  /** Instant of the next step of the escalation; null if there is none. */
  readonly nextStepAtMs: number | null;
  /** Instant of the next reminder; null if there is none. */
  readonly nextReminderAtMs: number | null;
  /** Channels that did not take the message, which this one replaces. */
  readonly failedChannels: readonly { readonly name: string; readonly error: string }[];
  /** True if a person asked for it to try the channel. */
  readonly isTest: boolean;
  readonly acknowledgeUrl: string | null;
  /** Address of the page that shows the alert; null if there is none. */
  readonly monitorUrl: string | null;
}

/** One alert of a digest. */
export interface DigestEntry {
  readonly monitor: MonitorFacts;
  readonly type: AlertType;
  readonly severity: Severity;
  readonly startedAtMs: number;
  readonly isOver: boolean;
}

/** Several alerts in one message. */
export interface DigestFacts extends Envelope {
  readonly entries: readonly DigestEntry[];
  /** Name of the alert group; null if the alerts were joined since they were many. */
  readonly groupName: string | null;
  readonly nowMs: number;
  readonly isTest: boolean;
  /** True if alerts that the message does not name go on: a silence keeps them back. */
  readonly hasOthers?: true;
  /** Address at which the recipient acknowledges all of them; null if none is to be acknowledged. */
  readonly acknowledgeUrl: string | null;
  /** Address of the page that shows them; null if there is none. */
  readonly listUrl: string | null;
}

/** Notice that is about no alert. */
export type Notice =
  | { readonly kind: 'node_unhealthy'; readonly nodes: readonly string[]; readonly reason: string | null }
  | { readonly kind: 'node_offline'; readonly nodes: readonly string[] }
  | { readonly kind: 'flapping'; readonly monitor: MonitorFacts; readonly isOver: boolean; readonly isUp: boolean }
  | { readonly kind: 'channel_failing'; readonly channel: string; readonly error: string }
  | { readonly kind: 'webhook_failing'; readonly url: string; readonly error: string }
  | { readonly kind: 'webhook_disabled'; readonly url: string; readonly reason: 'failing' | 'gone' };

/** A notice, with its instant and where to go. */
export interface NoticeFacts extends Envelope {
  readonly notice: Notice;
  readonly sinceMs: number;
  readonly url: string | null;
}
