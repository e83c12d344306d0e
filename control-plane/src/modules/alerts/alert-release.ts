import type { Knex } from 'knex';
import type { Actor } from '../../audit-log/actor.js';
import { insertAuditEntry } from '../../audit-log/store.js';
import type { Owner } from '../../owners/index.js';
import { deleteChannelsOf, releaseChannels } from './channels/channel-release.js';
import { queueAlertsOf } from './events/due-store.js';
import { deleteAlertGroup, deleteAlertGroupsOfOwner, listAlertGroupsOf } from './groups/alert-group-store.js';
import { deletePoliciesOf } from './policies/policy-release.js';
import { deletePoliciesOfOwner } from './policies/policy-store.js';
import { releaseAlertEvents } from './relay/alert-release.js';
import { deleteSilence, deleteSilencesOfOwner, listSilencesOf } from './silences/silence-store.js';

/**
 * Deletes what keeps messages from the person whom an account turns out to belong to, or sends them elsewhere: channels, policies,
 * silences and groups, each with an entry in the audit log, in the caller's transaction. @returns the channels
 */
export async function revokeAlertSettings(
  trx: Knex,
  ownerId: string,
  why: { readonly actor: Actor; readonly reason: string },
): ReturnType<typeof deleteChannelsOf> {
  const record = (subject: string, action: 'alert_silence.deleted' | 'alert_group.deleted') =>
    insertAuditEntry(trx, {
      actor: why.actor,
      accountId: ownerId,
      subject,
      action,
      details: { reason: why.reason },
    });
  for (const id of await listSilencesOf(trx, ownerId)) {
    await deleteSilence(trx, id);
    await record(id, 'alert_silence.deleted');
  }
  for (const id of await listAlertGroupsOf(trx, ownerId)) {
    await deleteAlertGroup(trx, id);
    await record(id, 'alert_group.deleted');
  }
  const channels = await deleteChannelsOf(trx, ownerId, why);
  await deletePoliciesOf(trx, ownerId, why);
  // what a silence held is told now
  await queueAlertsOf(trx, [ownerId]);
  return channels;
}

/** Deletes everything that alerts hold for an owner who leaves. */
export async function releaseAlerts(trx: Knex, owner: Pick<Owner, 'id'>): Promise<void> {
  await releaseAlertEvents(trx, owner);
  await deletePoliciesOfOwner(trx, owner.id);
  await deleteSilencesOfOwner(trx, owner.id);
  await deleteAlertGroupsOfOwner(trx, owner.id);
  await releaseChannels(trx, owner);
}
