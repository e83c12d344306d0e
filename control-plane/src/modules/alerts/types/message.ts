import type { Locale } from '../../../http/locale.js';

/** Why a message is sent. */
export const messageKinds = [
  'firing',
  'severity',
  'reminder',
  'escalation',
  'acknowledged',
  'resolved',
  'digest',
  'notice',
  'test',
  'verification',
] as const;
export type MessageKind = (typeof messageKinds)[number];

export const severities = ['critical', 'warning', 'info'] as const;
export type Severity = (typeof severities)[number];

/** A line of a message: "Since", "2026-01-01 12:00 UTC". */
export interface Fact {
  readonly label: string;
  readonly value: string;
}

/** An address to go to. */
export interface Link {
  readonly label: string;
  readonly url: string;
  /** Purpose of the link, for templates. */
  readonly role?: 'acknowledge' | 'monitor';
}

/** Monitor that a message is about. */
export interface MessageMonitor {
  readonly id: string;
  readonly name: string;
}

/** Names of what the payload of a message has by id. */
export interface MessageNames {
  readonly nodes: readonly string[];
  /** Null if no one has acknowledged the alert. */
  readonly acknowledgedBy: string | null;
  /** Group of the monitor; null if it has none. */
  readonly group: string | null;
}

/**
 * A message in one language, without the format of a channel. Values that come from monitors, nodes and targets are in
 * it as they came, without control and bidirectional characters: each type escapes them for its vendor, and takes out mentions.
 */
export interface Message {
  /** Id of the delivery, the same for every attempt. */
  readonly id: string;
  /** Id of the alert, group or digest that the messages of one thread belong to: `dedup_key`, `In-Reply-To`. */
  readonly thread: string;
  readonly kind: MessageKind;
  readonly severity: Severity;
  readonly locale: Locale;
  /** One line. */
  readonly title: string;
  /** Sentence about the state and its reason, which stands without the title; absent: the title does. */
  readonly headline?: string;
  readonly facts: readonly Fact[];
  /** One line each; the monitors of a digest. */
  readonly items: readonly string[];
  /** Next step, or advice. */
  readonly note: string | null;
  /** The acknowledge link first, where there is one. */
  readonly links: readonly Link[];
  /** Text of the owner's template, filled, in place of facts, items and note. */
  readonly customText: string | null;
  /** Monitor that the message is about; absent: it is about several, or none. */
  readonly monitor?: MessageMonitor;
  /** Names of what the payload has by id, for templates; absent: the payload has none. */
  readonly names?: MessageNames;
  /** Address or name of what the message is about. */
  readonly source: string;
  /** When it happened, milliseconds since the epoch. */
  readonly atMs: number;
  /** IANA name of the channel's time zone; absent: UTC. */
  readonly timezone?: string;
  /** True if nothing of what the message is about lasts any longer: of a digest of ends; `resolved` implies it. */
  readonly isOver?: boolean;
  /** Event that a webhook gets (`alert.*`, full form): `{id, type, …, data: {alert, monitor, policy}}`. Empty: there is none. */
  readonly payload: Readonly<Record<string, unknown>>;
}
