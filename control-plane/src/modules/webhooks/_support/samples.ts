import { type Samples, scope } from '../../../../test/_support/samples.js';
import { insertWebhookDelivery } from '../../../../test/_support/stored-webhook.js';

const readAlerts = scope('alert:read');
const writeAlerts = scope('alert:write');

export const samples: Samples = {
  operations: {
    'GET /v1/webhooks': { callers: readAlerts },
    'POST /v1/webhooks': {
      callers: writeAlerts,
      body: ({ text }) => ({ url: 'http://127.0.0.1:8099/', events: ['*'], description: text }),
      recordName: 'endpoint',
    },
    'GET /v1/webhooks/event-types': { callers: readAlerts },
    'GET /v1/webhooks/{id}': { callers: readAlerts },
    'PATCH /v1/webhooks/{id}': { callers: writeAlerts, body: () => ({ payload: 'thin' }) },
    'DELETE /v1/webhooks/{id}': { callers: writeAlerts },
    'POST /v1/webhooks/{id}/rotate-secret': { callers: writeAlerts },
    'POST /v1/webhooks/{id}/test': { callers: writeAlerts },
    'POST /v1/webhooks/{id}/recover': { callers: writeAlerts },
    'GET /v1/webhooks/{id}/deliveries': { callers: readAlerts },
    'GET /v1/webhooks/deliveries/{id}': { callers: readAlerts },
    'POST /v1/webhooks/deliveries/{id}/redeliver': { callers: writeAlerts },
  },
  rows: [
    { table: 'webhook_endpoints', paths: ['/v1/webhooks'], list: 'counted' },
    {
      table: 'webhook_deliveries',
      alsoFills: ['webhook_events'],
      paths: ['/v1/webhooks/deliveries'],
      async create({ db, userId, isTest, text, create }) {
        const endpointId = await create('/v1/webhooks');
        return insertWebhookDelivery(db, { ownerId: userId, endpointId, isTest, text });
      },
    },
  ],
};
