import { Type } from 'typebox';
import { cursorList, cursorQuery, limitOfPage } from '../../../http/cursor.js';
import { defineRoute } from '../../../http/route.js';
import { timeRangeOf, timeRangeQuery } from '../../../http/time-range.js';
import { eventTypes, MonitorEventSchema } from '../definition/schema.js';
import { eventView } from '../reading/view.js';
import { afterOf, EventPositionSchema, positionOf } from './event-position.js';
import { reads, tag } from './monitor-access.js';

const list = cursorList('account-events', EventPositionSchema);

/** GET /v1/monitor-events (API specification 2.4). */
export const listAllMonitorEvents = defineRoute({
  operationId: 'listAllMonitorEvents',
  method: 'GET',
  path: '/v1/monitor-events',
  summary: 'List the events of all your monitors',
  description:
    'Periods when a monitor was down or degraded, the one that began last first. Filters are joined by AND; `from` and `to` apply to the time when events began. A monitor that is not yours has no events here.',
  tag,
  auth: reads,
  query: Type.Object({
    ...cursorQuery,
    ...timeRangeQuery,
    monitor_id: Type.Optional(Type.String({ maxLength: 64, description: 'Events of this monitor.' })),
    type: Type.Optional(Type.Enum([...eventTypes], { type: 'string', description: 'Events of this type.' })),
    open: Type.Optional(Type.Boolean({ description: 'True: events that have not ended; false: those that have.' })),
    acked: Type.Optional(Type.Boolean({ description: 'True: acknowledged events; false: the others.' })),
    tag: Type.Optional(Type.String({ maxLength: 64, description: 'Events of monitors with this tag.' })),
  }),
  replies: { 200: Type.Object({ items: Type.Array(MonitorEventSchema) }, { additionalProperties: false }) },
  errors: ['VALIDATION_FAILED'],
  async handle({ query, account }, { monitors }) {
    const limit = limitOfPage(query);
    const after = list.parse(query.cursor);
    const { monitor_id: monitorId, type, open: isOpen, acked: isAcked, tag: monitorTag } = query;
    const rows = await monitors.events.listAll(account, {
      filter: { monitorId, type, isOpen, isAcked, tag: monitorTag },
      ...timeRangeOf(query, monitors.now()),
      after: afterOf(after),
      limit: limit + 1,
    });
    const { items, pagination } = list.page(rows, limit, positionOf);
    return { status: 200, data: { items: items.map(eventView) }, pagination };
  },
});
