import type { PlanName } from '../../../plans/index.js';
import type { ChannelConfig } from './channel-config.js';
import type { ChannelTemplate } from './channel-template.js';

/** States of channels; part of the public API. */
export const channelHealths = ['unknown', 'ok', 'failing'] as const;
export type ChannelHealth = (typeof channelHealths)[number];

/** Stored state of a recipient. */
export interface RecipientRow {
  readonly address: string;
  readonly is_verified: boolean;
  readonly is_unsubscribed: boolean;
  /** Ids of monitors about which it wants no messages. */
  readonly stopped_monitors: readonly string[];
}

/** Stored channel, with facts about the account that owns it. */
export interface ChannelRow {
  readonly id: string;
  readonly owner_id: string;
  readonly created_by: string;
  readonly is_test: boolean;
  readonly name: string;
  readonly type: string;
  readonly config: ChannelConfig;
  readonly sealed_secrets: Buffer | null;
  readonly is_enabled: boolean;
  readonly is_default: boolean;
  /** Null for that of the account. */
  readonly locale: 'cn' | 'en' | 'tw' | null;
  readonly timezone: string | null;
  readonly max_per_minute: number | null;
  readonly template: ChannelTemplate | null;
  readonly verified_at: Date | null;
  readonly health: ChannelHealth;
  readonly health_since: Date | null;
  readonly failed_since: Date | null;
  readonly last_error: string | null;
  readonly last_sent_at: Date | null;
  readonly warned_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** Rows of recipients; an address without one is not verified. */
  readonly recipients: RecipientRow[];
  readonly account_plan: PlanName;
  /** Null for teams. */
  readonly account_email: string | null;
  readonly is_account_verified: boolean;
  readonly account_locale: 'cn' | 'en' | 'tw';
  readonly account_timezone: string;
}

/** Stored channel with the policies that send to it. */
export interface UsedChannelRow extends ChannelRow {
  /** Enabled policies that name the channel, oldest first. */
  readonly used_by: readonly { readonly id: string; readonly name: string }[];
}

/** Columns that are written. */
export type ChannelColumns = Omit<
  ChannelRow,
  'recipients' | 'account_plan' | 'account_email' | 'is_account_verified' | 'account_locale' | 'account_timezone'
>;
