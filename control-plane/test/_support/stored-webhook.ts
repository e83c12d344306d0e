import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { webhookEventKinds } from '../../src/events/index.js';
import { insertDeliveries } from '../../src/modules/webhooks/deliveries/delivery-store.js';
import { insertEvents } from '../../src/modules/webhooks/deliveries/event-store.js';

/** Stores an event and its delivery to an endpoint, which was skipped; `text` is in the event. @returns id of the delivery */
export async function insertWebhookDelivery(
  db: Knex,
  {
    ownerId,
    endpointId,
    isTest = false,
    text = 'Shop',
  }: {
    readonly ownerId: string;
    readonly endpointId: string;
    readonly isTest?: boolean;
    readonly text?: string;
  },
): Promise<string> {
  const [id, at] = [newId(idPrefixes.webhookDelivery), new Date()];
  const { example } = webhookEventKinds['monitor.paused'].webhook;
  const data = { ...example, monitor: { ...example.monitor, name: text } };
  const event = {
    id: newId(idPrefixes.event),
    kind: 'monitor.paused' as const,
    subject: 'm_1',
    sequence: 1,
    isTest,
    at,
    data,
  };
  await insertEvents(db, [{ ...event, ownerId }]);
  const how = { payload: 'full', status: 'skipped', lane: 'new', dueAt: at, redeliveryOf: null, at } as const;
  await insertDeliveries(db, [{ id, ownerId, endpointId, event, ...how }]);
  return id;
}
