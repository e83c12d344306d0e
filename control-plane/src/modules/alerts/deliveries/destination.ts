import type { Knex } from 'knex';
import type { Locale } from '../../../http/locale.js';
import type { PlanName } from '../../../plans/index.js';
import type { MessageMonitor } from '../types/message.js';
import type { CustomTexts } from '../types/template/custom-text.js';

/** Recipient of a channel. */
export interface Recipient {
  readonly to: string;
  readonly isVerified: boolean;
  readonly isUnsubscribed: boolean;
  /** Ids of monitors about which it wants no messages. */
  readonly stoppedMonitors: readonly string[];
}

/** A channel as its sender needs it. */
export interface Destination {
  readonly channelId: string;
  readonly ownerId: string;
  /** Plan of the owner. */
  readonly plan: PlanName;
  readonly isTest: boolean;
  readonly name: string;
  readonly type: string;
  readonly isEnabled: boolean;
  /** Settings, secrets included; those of the default channel have the account's address. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Values that must appear nowhere. */
  readonly secrets: readonly string[];
  /** Null for the limit of the type. */
  readonly maxPerMinute: number | null;
  /** Texts of the owner in place of the default ones, or null. */
  readonly texts: CustomTexts | null;
  readonly locale: Locale;
  /** IANA name. */
  readonly timezone: string;
  /** Null for types without recipients. */
  readonly recipients: readonly Recipient[] | null;
}

/** Effect of an attempt on its channel. */
export interface ChannelEffect {
  readonly channelId: string;
  readonly atMs: number;
  /** `refused`: the channel fails for good; `none`: nothing follows for the channel. */
  readonly result: 'accepted' | 'failed' | 'refused' | 'none';
  readonly error: string | null;
  /** Settings that the vendor asked to change. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** Channels, as deliveries see them. */
export interface Destinations {
  /** Channels by id; those that do not exist are missing. */
  read(db: Knex, channelIds: readonly string[]): Promise<ReadonlyMap<string, Destination>>;
  /** Default channel of an owner, for messages that no other channel accepts; null if there is no verified address. */
  readFallback(db: Knex, ownerId: string): Promise<Destination | null>;
  /** The same for several owners, by owner; those without a verified address are missing. */
  readFallbacks(db: Knex, ownerIds: readonly string[]): Promise<ReadonlyMap<string, Destination>>;
  /** Records the effect of an attempt, in the transaction that records the attempt. */
  note(trx: Knex, effect: ChannelEffect): Promise<void>;
  /** Address of the page on which a recipient unsubscribes. */
  unsubscribeUrl(channelId: string, recipient: string): string;
  /** Address of the page on which a recipient stops the messages about one monitor. */
  stopUrl(channelId: string, recipient: string, monitor: MessageMonitor): string;
}
