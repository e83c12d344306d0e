import type { Knex } from 'knex';
import type { ChannelRow } from './channel-row.js';

/** Policies that name channels. */
export interface ChannelUses {
  /** Policies that name a channel, locked until the transaction ends. */
  list(
    trx: Knex,
    channelId: string,
  ): Promise<readonly { readonly id: string; readonly name: string; readonly is_default: boolean }[]>;
  /** Takes a channel out of all policies. */
  remove(trx: Knex, channelId: string): Promise<void>;
  /** Adds a channel to the rules of the default policy of its owner; false if there is none, or a rule has no room for it. */
  joinDefault(trx: Knex, channel: Pick<ChannelRow, 'id' | 'type' | 'owner_id'>): Promise<boolean>;
}
