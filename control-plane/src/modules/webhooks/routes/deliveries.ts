import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { cursorList, cursorQuery, limitOfPage } from '../../../http/cursor.js';
import { defineRoute } from '../../../http/route.js';
import { instantOf, timeRangeOf, timeRangeQuery } from '../../../http/time-range.js';
import { deliveryStatuses } from '../deliveries/delivery-store.js';
import { deliveryDetail, deliveryView } from '../deliveries/delivery-view.js';
import { DeliveryDetailSchema, DeliverySchema, RecoverSchema } from '../deliveries/schema.js';
import { checkRecovery } from '../delivery-acts.js';
import { webhookKindNames } from '../kinds/index.js';
import { idParams as params, reads, tag, writes } from './webhook-access.js';

const strict = { additionalProperties: false };
const list = cursorList(
  'webhook-deliveries',
  Type.Object({ id: Type.String({ pattern: idPattern(idPrefixes.webhookDelivery) }) }, strict),
);

const Kind = (description: string) => Type.Enum([...webhookKindNames], { type: 'string', description });

export const listWebhookDeliveries = defineRoute({
  operationId: 'listWebhookDeliveries',
  method: 'GET',
  path: '/v1/webhooks/{id}/deliveries',
  summary: 'List the deliveries of a webhook endpoint',
  description:
    'Newest first; they are kept for 30 days. Filters are joined by AND; `from` and `to` apply to `created_at`.',
  tag,
  auth: reads,
  params,
  query: Type.Object({
    ...cursorQuery,
    ...timeRangeQuery,
    status: Type.Optional(
      Type.Enum([...deliveryStatuses], { type: 'string', description: 'Only deliveries with this status.' }),
    ),
    type: Type.Optional(Kind('Only deliveries of events of this kind.')),
    event_id: Type.Optional(Type.String({ maxLength: 64, description: 'Only deliveries of this event.' })),
  }),
  replies: { 200: Type.Object({ items: Type.Array(DeliverySchema) }, strict) },
  errors: ['VALIDATION_FAILED', 'NOT_FOUND'],
  async handle({ params: { id }, query, account }, { webhooks }) {
    const limit = limitOfPage(query);
    const after = list.parse(query.cursor);
    const { status, type: kind, event_id: eventId } = query;
    const rows = await webhooks.deliveries.list(id, account, {
      filter: { status, kind, eventId, ...timeRangeOf(query, webhooks.now()) },
      afterId: after?.id ?? null,
      limit: limit + 1,
    });
    const { items, pagination } = list.page(rows, limit, (row) => ({ id: row.id }));
    return { status: 200, data: { items: items.map(deliveryView) }, pagination };
  },
});

export const getWebhookDelivery = defineRoute({
  operationId: 'getWebhookDelivery',
  method: 'GET',
  path: '/v1/webhooks/deliveries/{id}',
  summary: 'Get a delivery with its request and responses',
  tag,
  auth: reads,
  params,
  replies: { 200: DeliveryDetailSchema },
  errors: ['NOT_FOUND'],
  async handle({ params: { id }, account }, { webhooks }) {
    return { status: 200, data: deliveryDetail(await webhooks.deliveries.get(id, account)) };
  },
});

export const redeliverWebhook = defineRoute({
  operationId: 'redeliverWebhook',
  method: 'POST',
  path: '/v1/webhooks/deliveries/{id}/redeliver',
  summary: 'Resend the event of a delivery',
  description: 'Creates a new delivery with the same `webhook-id`. The endpoint must be active.',
  tag,
  auth: writes,
  params,
  replies: { 202: DeliverySchema },
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handle(request, { webhooks }) {
    const act = { account: request.account, actor: actorOf(request) };
    return { status: 202, data: deliveryView(await webhooks.deliveries.redeliver(request.params.id, act)) };
  },
});

export const recoverWebhook = defineRoute({
  operationId: 'recoverWebhook',
  method: 'POST',
  path: '/v1/webhooks/{id}/recover',
  summary: 'Resend the events of a period',
  description:
    'For an endpoint that was unavailable, paused or disabled: up to 10 000 of its events of the last 30 days are sent again with their `webhook-id`, after new events, and at 50 a second for all endpoints of the account together. An account may recover 100 000 events a day (429). Events that are being sent or retried are left out. The endpoint must be active.',
  tag,
  auth: writes,
  params,
  body: RecoverSchema,
  bodyExample: { since: '-24h', status: 'failed' },
  replies: { 202: Type.Object({ count: Type.Integer({ minimum: 0, description: 'Number of events.' }) }, strict) },
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'CONFLICT'],
  async handle(request, { webhooks }) {
    const { account, body, params } = request;
    const nowMs = webhooks.now();
    const since = instantOf('since', body.since, nowMs);
    const until = body.until === undefined ? nowMs : instantOf('until', body.until, nowMs);
    const recovery = { sinceMs: since, untilMs: until, isAll: body.status === 'all' };
    checkRecovery(recovery);
    const count = await webhooks.deliveries.recover(params.id, recovery, { account, actor: actorOf(request) });
    return { status: 202, data: { count } };
  },
});

export const testWebhook = defineRoute({
  operationId: 'testWebhook',
  method: 'POST',
  path: '/v1/webhooks/{id}/test',
  summary: 'Send a test event',
  description:
    'Sends one event with example data now, with `"test": true`, and waits for the response. There is no second attempt, and a failure does not count against the endpoint, which may be paused or disabled.',
  tag,
  auth: writes,
  params,
  body: Type.Object({ type: Type.Optional(Kind('Kind of the event; default: `webhook.test`.')) }, strict),
  bodyExample: { type: 'monitor.down' },
  replies: {
    200: Type.Object(
      {
        ok: Type.Boolean({ description: 'True if the endpoint replied with a 2xx status.' }),
        delivery: DeliveryDetailSchema,
      },
      strict,
    ),
  },
  errors: ['VALIDATION_FAILED', 'NOT_FOUND'],
  async handle(request, { webhooks }) {
    const { account, body, params } = request;
    const act = { account, actor: actorOf(request) };
    const delivery = await webhooks.deliveries.test(params.id, body.type ?? 'webhook.test', act);
    return { status: 200, data: { ok: delivery.status === 'delivered', delivery: deliveryDetail(delivery) } };
  },
});
