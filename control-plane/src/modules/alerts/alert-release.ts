import type { Knex } from 'knex';
import type { Owner, Revocation } from '../../owners/index.js';
import { deleteChannelsOf, releaseChannels } from './channels/channel-release.js';
import { queueAlertsOf } from './events/due-store.js';
import { alertGroups } from './groups/alert-groups.js';
import { deletePoliciesOf } from './policies/policy-release.js';
import { deletePoliciesOfOwner } from './policies/policy-store.js';
import { releaseAlertEvents } from './relay/alert-release.js';
import { alertSilences } from './silences/alert-silences.js';

/**
 * Deletes what keeps messages from the person whom an account turns out to belong to, or sends them elsewhere: channels, which the mail
 * names, policies, silences and groups.
 */
export const alertRevocation: Revocation = {
  words: { en: 'Alert channels', 'zh-CN': '告警渠道', 'zh-TW': '告警管道' },
  async revoke(trx, ownerId, why) {
    await alertSilences.revokeOf(trx, ownerId, why);
    await alertGroups.revokeOf(trx, ownerId, why);
    const channels = await deleteChannelsOf(trx, ownerId, why);
    await deletePoliciesOf(trx, ownerId, why);
    // what a silence held is sent now
    await queueAlertsOf(trx, [ownerId]);
    return channels;
  },
};

/** Deletes everything that alerts hold for an owner who leaves. */
export async function releaseAlerts(trx: Knex, owner: Pick<Owner, 'id'>): Promise<void> {
  await releaseAlertEvents(trx, owner);
  await deletePoliciesOfOwner(trx, owner.id);
  await alertSilences.store.deleteOf(trx, owner.id);
  await alertGroups.store.deleteOf(trx, owner.id);
  await releaseChannels(trx, owner);
}
