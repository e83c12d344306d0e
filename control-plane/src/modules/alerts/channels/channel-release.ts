import type { Knex } from 'knex';
import type { Actor } from '../../../audit-log/actor.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import type { Owner } from '../../../owners/index.js';
import { deleteDeliveriesOf } from '../deliveries/delivery-store.js';
import { deleteChannel, deleteChannelsOfOwner, listChannelNames, resetDefaultChannel } from './channel-store.js';

/**
 * Deletes all channels of an owner except the default one, which is reset, in the caller's transaction, with an entry for each in the
 * audit log: they send data of the account elsewhere. Messages that wait are dropped when their turn comes.
 */
export async function deleteChannelsOf(
  trx: Knex,
  ownerId: string,
  { actor, reason }: { readonly actor: Actor; readonly reason: string },
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const channels = await listChannelNames(trx, ownerId);
  for (const { id } of channels) {
    await deleteChannel(trx, id);
    const entry = { actor, accountId: ownerId, subject: id, action: 'alert_channel.deleted' } as const;
    await insertAuditEntry(trx, { ...entry, details: { reason } });
  }
  await resetDefaultChannel(trx, ownerId);
  return channels;
}

/** Deletes the channels and deliveries of an owner who leaves. */
export async function releaseChannels(trx: Knex, { id }: Pick<Owner, 'id'>): Promise<void> {
  await deleteDeliveriesOf(trx, id);
  await deleteChannelsOfOwner(trx, id);
}
