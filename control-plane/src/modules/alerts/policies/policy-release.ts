import type { Knex } from 'knex';
import type { Actor } from '../../../audit-log/actor.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import { defaultPolicy } from './policy-defaults.js';
import { deletePolicy, findDefaultChannel, listOwnPolicies, replaceDefault } from './policy-store.js';

/**
 * Deletes all policies of an owner except the default one, which is as in a new account again, in the caller's transaction, with an
 * entry for each in the audit log: a policy decides who is notified, and when.
 */
export async function deletePoliciesOf(
  trx: Knex,
  ownerId: string,
  { actor, reason }: { readonly actor: Actor; readonly reason: string },
): Promise<void> {
  for (const { id } of await listOwnPolicies(trx, ownerId)) {
    await deletePolicy(trx, id);
    const entry = { actor, accountId: ownerId, subject: id, action: 'alert_policy.deleted' } as const;
    await insertAuditEntry(trx, { ...entry, details: { reason } });
  }
  const channelId = await findDefaultChannel(trx, ownerId);
  await replaceDefault(trx, ownerId, defaultPolicy({ type: 'email', channel_id: channelId, to: null }));
}
