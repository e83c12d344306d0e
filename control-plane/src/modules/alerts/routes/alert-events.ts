import { alertStatuses } from '@vantage/shared/alerts/alert.js';
import { alertSeverities, alertTypes } from '@vantage/shared/alerts/policy.js';
import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { cursorList, cursorQuery } from '../../../http/cursor.js';
import { pageOf, pageQuery } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { timeRangeOf, timeRangeQuery } from '../../../http/time-range.js';
import { AlertDeliverySchema, deliveryView } from '../channels/delivery-view.js';
import { AlertEventSchema, alertView } from '../events/alert-view.js';
import { idParams as params, reads, writes } from './alert-access.js';

const tag = 'Alert events';
const list = cursorList('alert-events', Type.String({ pattern: idPattern(idPrefixes.alertEvent) }));

/** GET /v1/alert-events (API specification 2.5). */
export const listAlertEvents = defineRoute({
  operationId: 'listAlertEvents',
  method: 'GET',
  path: '/v1/alert-events',
  summary: 'List your alert events',
  description:
    'Newest first, for 400 days, also those of monitors that were deleted. Filters are joined by AND; `from` and `to` apply to the time when alerts opened. Pages are read by `page`, or by `cursor`, which misses none while alerts open.',
  tag,
  auth: reads,
  query: Type.Object({
    ...pageQuery,
    cursor: cursorQuery.cursor,
    ...timeRangeQuery,
    status: Type.Optional(Type.Enum([...alertStatuses], { type: 'string', description: 'Alerts in this state.' })),
    severity: Type.Optional(
      Type.Enum([...alertSeverities], { type: 'string', description: 'Alerts of this severity.' }),
    ),
    type: Type.Optional(Type.Enum([...alertTypes], { type: 'string', description: 'Alerts of this type.' })),
    policy_id: Type.Optional(Type.String({ maxLength: 64, description: 'Alerts of this policy.' })),
    monitor_id: Type.Optional(Type.String({ maxLength: 64, description: 'Alerts about this monitor.' })),
  }),
  replies: {
    200: Type.Object(
      {
        items: Type.Array(AlertEventSchema),
        page: Type.Integer({ minimum: 1, description: 'Number of the page; 1 for a page that was read by cursor.' }),
        page_size: Type.Integer({ minimum: 1 }),
        total: Type.Integer({ minimum: 0, description: 'Number of all alerts that match.' }),
        has_more: Type.Boolean(),
      },
      { additionalProperties: false },
    ),
  },
  errors: ['VALIDATION_FAILED'],
  async handle({ query, account }, { alerts }) {
    const page = pageOf(query);
    const after = list.parse(query.cursor);
    const { status, severity, type, policy_id: policyId, monitor_id: monitorId } = query;
    const { rows, total } = await alerts.events.list(account, {
      status,
      severity,
      type,
      policyId,
      monitorId,
      ...timeRangeOf(query, alerts.now()),
      after,
      offset: page.offset,
      limit: page.limit + 1,
    });
    const { items, pagination } = list.page(rows, page.limit, ({ id }) => id);
    const place = { page: after === null ? page.number : 1, page_size: page.limit, total };
    return {
      status: 200,
      data: { items: items.map(alertView), ...place, has_more: pagination.has_more },
      pagination: { ...pagination, ...place },
    };
  },
});

export const getAlertEvent = defineRoute({
  operationId: 'getAlertEvent',
  method: 'GET',
  path: '/v1/alert-events/{id}',
  summary: 'Get an alert event',
  description: 'With its timeline, which has the reason of each message and of each delay, and the messages about it.',
  tag,
  auth: reads,
  params,
  replies: {
    200: Type.Object(
      {
        ...AlertEventSchema.properties,
        timeline: Type.Array(
          Type.Object(
            {
              at: Type.String({ format: 'date-time' }),
              what: Type.String({ example: 'opened' }),
              details: Type.Record(Type.String(), Type.Unknown()),
            },
            { additionalProperties: false },
          ),
          { description: 'The newest 1000 entries, oldest first.' },
        ),
        deliveries: Type.Array(AlertDeliverySchema, {
          description: 'The newest, oldest first: at most 200, and 1 MiB of texts and responses.',
        }),
      },
      { additionalProperties: false, title: 'AlertEventDetail' },
    ),
  },
  errors: ['NOT_FOUND'],
  async handle({ params: { id }, account }, { alerts }) {
    const { row, timeline, deliveries } = await alerts.events.get(id, account);
    const entries = timeline.map(({ atMs, what, details }) => ({
      at: new Date(atMs).toISOString(),
      what,
      details: { ...details },
    }));
    return { status: 200, data: { ...alertView(row), timeline: entries, deliveries: deliveries.map(deliveryView) } };
  },
});

export const acknowledgeAlertEvent = defineRoute({
  operationId: 'acknowledgeAlertEvent',
  method: 'POST',
  path: '/v1/alert-events/{id}/acknowledge',
  summary: 'Acknowledge an alert event',
  description:
    'Ends reminders and the escalation; everyone who got a message is notified. The event of the monitor and alerts of other policies do not change. An acknowledged alert does not change; a resolved one is a CONFLICT.',
  tag,
  auth: writes,
  params,
  body: Type.Object(
    {
      note: Type.Optional(
        nullable(Type.String({ minLength: 1, maxLength: 500, description: 'Text for the timeline.' }), 'No text.'),
      ),
    },
    { additionalProperties: false, title: 'AlertEventAcknowledge' },
  ),
  bodyExample: { note: 'I am looking at it.' },
  replies: { 200: AlertEventSchema },
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'CONFLICT'],
  async handle(request, { alerts }) {
    const act = { account: request.account, actor: actorOf(request) };
    const row = await alerts.events.acknowledge(request.params.id, request.body.note ?? null, act);
    return { status: 200, data: alertView(row) };
  },
});

export const resolveAlertEvent = defineRoute({
  operationId: 'resolveAlertEvent',
  method: 'POST',
  path: '/v1/alert-events/{id}/resolve',
  summary: 'Resolve an alert event',
  description:
    'Ends the alert; everyone who got a message is notified. The monitor does not change, and the policy opens no other alert about it until it was up. A resolved alert does not change.',
  tag,
  auth: writes,
  params,
  replies: { 200: AlertEventSchema },
  errors: ['NOT_FOUND'],
  async handle(request, { alerts }) {
    const act = { account: request.account, actor: actorOf(request) };
    return { status: 200, data: alertView(await alerts.events.resolve(request.params.id, act)) };
  },
});
