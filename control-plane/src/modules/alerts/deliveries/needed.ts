import type { Knex } from 'knex';
import { ALERT_DELIVERY_DAYS } from '../../../db/partitions.js';
import type { MessageKind } from '../types/message.js';

/** Reasons why a message is not sent, or no further attempt is made; part of the public API. */
export const endReasons = [
  'test_mode',
  'recovered_before_sent',
  'acknowledged',
  'silenced',
  'channel_deleted',
  'channel_disabled',
  'unverified',
  'unsubscribed',
  'monitor_stopped',
  'quota',
  'not_needed',
  'refused',
  'expired',
] as const;
export type EndReason = (typeof endReasons)[number];

/** Message that is about to be sent. */
export interface WaitingMessage {
  readonly id: string;
  readonly ownerId: string;
  readonly channelId: string;
  readonly kind: MessageKind;
  /** The first hundred. */
  readonly alertIds: readonly string[];
  readonly alertCount: number;
  readonly thread: string;
  readonly messageGroup: string;
  /** True if an earlier attempt may have reached the recipient, so that the message counts as delivered. */
  readonly mayHaveArrived: boolean;
}

/**
 * Asked before every attempt, by the batch. Messages of the kinds `test` and `verification` are always needed, and never
 * asked about.
 */
export interface Needed {
  /** Returns the messages that are no longer needed, with the reason for each. */
  refuse(db: Knex, messages: readonly WaitingMessage[]): Promise<ReadonlyMap<string, EndReason>>;
}

/** Answer while nothing decides about messages. */
export const alwaysNeeded: Needed = { refuse: async () => new Map() };

/** True for messages that no one is asked about. */
export function isAlwaysNeeded(kind: MessageKind): boolean {
  return kind === 'test' || kind === 'verification';
}

const DAY_MS = 86_400_000;

/** True if messages since an instant may have been deleted: one of them may have been about the start. */
export function isBeyondLog(sinceMs: number, nowMs: number): boolean {
  return nowMs - sinceMs > ALERT_DELIVERY_DAYS * DAY_MS;
}
