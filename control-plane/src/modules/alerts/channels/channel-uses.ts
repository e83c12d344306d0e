import type { Knex } from 'knex';

/** Policies that name channels. */
export interface ChannelUses {
  /** Policies that name a channel. */
  list(trx: Knex, channelId: string): Promise<readonly { readonly id: string; readonly name: string }[]>;
  /** Takes a channel out of all policies. */
  remove(trx: Knex, channelId: string): Promise<void>;
}
