import type { Knex } from 'knex';
import type { Actor } from '../../audit-log/actor.js';
import { insertAuditEntry } from '../../audit-log/store.js';
import { skipPending } from './deliveries/delivery-store.js';
import { deleteEndpoint, lockEndpointsOf } from './endpoints/endpoint-store.js';

/**
 * Deletes the endpoints of a person whom an account turns out to belong to, with an entry for each in the audit log, in the caller's
 * transaction: they send data of the account elsewhere. @returns the endpoints, named by the origins of their URLs
 */
export async function revokeWebhooks(
  trx: Knex,
  ownerId: string,
  { actor, reason, nowMs }: { readonly actor: Actor; readonly reason: string; readonly nowMs: number },
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const endpoints = await lockEndpointsOf(trx, ownerId);
  for (const endpoint of endpoints) {
    await skipPending(trx, endpoint, nowMs);
    await deleteEndpoint(trx, endpoint);
    const entry = { actor, accountId: ownerId, subject: endpoint.id, action: 'webhook.deleted' } as const;
    await insertAuditEntry(trx, { ...entry, details: { reason } });
  }
  return endpoints.map(({ id, url }) => ({ id, name: new URL(url).origin }));
}
