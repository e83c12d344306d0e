import { insertAuditEntry } from '../../audit-log/store.js';
import type { Revocation } from '../../owners/index.js';
import { skipPending } from './deliveries/delivery-store.js';
import { deleteEndpoint, lockEndpointsOf } from './endpoints/endpoint-store.js';

/** Deletes the endpoints of an account that turns out to belong to someone else: they send its data elsewhere. */
export const webhookRevocation: Revocation = {
  words: { en: 'Webhook endpoints', 'zh-CN': 'Webhook 端点', 'zh-TW': 'Webhook 端點' },
  async revoke(trx, ownerId, { actor, reason, nowMs }) {
    const endpoints = await lockEndpointsOf(trx, ownerId);
    for (const endpoint of endpoints) {
      await skipPending(trx, endpoint, nowMs);
      await deleteEndpoint(trx, endpoint);
      const entry = { actor, accountId: ownerId, subject: endpoint.id, action: 'webhook.deleted' } as const;
      await insertAuditEntry(trx, { ...entry, details: { reason } });
    }
    return endpoints.map(({ url }) => ({ name: new URL(url).origin }));
  },
};
