import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { cursorList, cursorQuery, limitOfPage } from '../../../http/cursor.js';
import { defineRoute } from '../../../http/route.js';
import { timeRangeOf, timeRangeQuery } from '../../../http/time-range.js';
import { AlertDeliveryDetailSchema, AlertDeliverySchema, deliveryView } from '../channels/delivery-view.js';
import { deliveryStatuses } from '../deliveries/next-state.js';
import { messageKinds } from '../types/message.js';
import { idParams as params, reads, writes } from './alert-access.js';

const tag = 'Alert deliveries';
const list = cursorList('alert-deliveries', Type.String({ pattern: idPattern(idPrefixes.alertDelivery) }));

export const listAlertDeliveries = defineRoute({
  operationId: 'listAlertDeliveries',
  method: 'GET',
  path: '/v1/alert-deliveries',
  summary: 'List messages to your alert channels',
  description:
    'Newest first, with every attempt and the response of the receiver, for 90 days. `from` and `to` apply to the time of creation. A page ends early when its texts and responses exceed 1 MiB: `has_more` and `next_cursor` tell.',
  tag,
  auth: reads,
  query: Type.Object({
    ...cursorQuery,
    ...timeRangeQuery,
    channel_id: Type.Optional(Type.String({ maxLength: 64, description: 'Messages to this channel.' })),
    alert_event_id: Type.Optional(Type.String({ maxLength: 64, description: 'Messages about this alert event.' })),
    status: Type.Optional(Type.Enum([...deliveryStatuses], { type: 'string', description: 'Messages in this state.' })),
    kind: Type.Optional(Type.Enum([...messageKinds], { type: 'string', description: 'Messages of this kind.' })),
  }),
  replies: { 200: Type.Object({ items: Type.Array(AlertDeliverySchema) }, { additionalProperties: false }) },
  errors: ['VALIDATION_FAILED'],
  async handle({ query, account }, { alerts }) {
    const limit = limitOfPage(query);
    const { channel_id: channelId, alert_event_id: alertId, status, kind } = query;
    const { rows, isCut } = await alerts.deliveries.list(account, {
      channelId,
      alertId,
      status,
      kind,
      ...timeRangeOf(query, alerts.now()),
      after: list.parse(query.cursor),
      limit: limit + 1,
    });
    const { items, pagination } = list.page(rows, limit, ({ id }) => id, isCut);
    return { status: 200, data: { items: items.map(deliveryView) }, pagination };
  },
});

export const getAlertDelivery = defineRoute({
  operationId: 'getAlertDelivery',
  method: 'GET',
  path: '/v1/alert-deliveries/{id}',
  summary: 'Get a message to an alert channel',
  tag,
  auth: reads,
  params,
  replies: { 200: AlertDeliveryDetailSchema },
  errors: ['NOT_FOUND'],
  async handle({ params: { id }, account }, { alerts }) {
    const row = await alerts.deliveries.get(id, account);
    return { status: 200, data: { ...deliveryView(row), request: row.request } };
  },
});

export const retryAlertDelivery = defineRoute({
  operationId: 'retryAlertDelivery',
  method: 'POST',
  path: '/v1/alert-deliveries/{id}/retry',
  summary: 'Retry a message to an alert channel',
  description: 'Queues the message of a dead or dropped delivery again, as a new delivery.',
  tag,
  auth: writes,
  params,
  replies: { 202: AlertDeliverySchema },
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handle(request, { alerts }) {
    const act = { account: request.account, actor: actorOf(request) };
    return { status: 202, data: deliveryView(await alerts.deliveries.retry(request.params.id, act)) };
  },
});
