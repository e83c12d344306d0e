import { Type } from 'typebox';
import { cursorList, cursorQuery } from '../../../http/cursor.js';
import { fieldError } from '../../../http/errors.js';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { timeRangeOf, timeRangeQuery } from '../../../http/time-range.js';
import { MonitorEventSchema } from '../definition/schema.js';
import { eventView } from '../reading/view.js';
import { afterOf, EventPositionSchema, positionOf } from './event-position.js';
import { idParams as params, reads, tag } from './monitor-access.js';

const list = cursorList('monitor-events', EventPositionSchema);

/** GET /v1/monitors/{id}/events (API specification 2.4). */
export const listMonitorEvents = defineRoute({
  operationId: 'listMonitorEvents',
  method: 'GET',
  path: '/v1/monitors/{id}/events',
  summary: 'List the events of a monitor',
  description:
    'Periods when the monitor was down or degraded, the one that began last first. Use pages or a cursor; with a cursor no event is skipped or repeated when others begin between two requests. `from` and `to` apply to the time when events began.',
  tag,
  auth: reads,
  params,
  query: Type.Object({ ...pageQuery, cursor: cursorQuery.cursor, ...timeRangeQuery }),
  replies: {
    200: Type.Object(
      {
        items: Type.Array(MonitorEventSchema),
        limit: Type.Integer({ minimum: 1 }),
        monitor_id: Type.String(),
        page: Type.Integer({ minimum: 1 }),
        total: Type.Integer({ minimum: 0 }),
      },
      { additionalProperties: false },
    ),
  },
  errors: ['VALIDATION_FAILED', 'MONITOR_NOT_FOUND'],
  async handle({ params: { id }, query, account }, { monitors }) {
    const page = pageOf(query);
    const after = list.parse(query.cursor);
    if (after !== null && page.number > 1)
      throw fieldError('page', 'conflict', 'must not be sent together with a cursor');
    const monitor = await monitors.reading.get(id, account);
    const { rows, total } = await monitors.events.list(monitor, {
      ...timeRangeOf(query, monitors.now()),
      after: afterOf(after),
      offset: page.offset,
      limit: page.limit + 1,
    });
    const { items, pagination: next } = list.page(rows, page.limit, positionOf);
    const data = { items: items.map(eventView), limit: page.limit, monitor_id: id, page: page.number, total };
    return { status: 200, data, pagination: { ...pagination(page, total), ...next } };
  },
});

/** GET /v1/monitor-events/{id} (API specification 2.4). */
export const getMonitorEvent = defineRoute({
  operationId: 'getMonitorEvent',
  method: 'GET',
  path: '/v1/monitor-events/{id}',
  summary: 'Get an event',
  tag,
  auth: reads,
  params,
  replies: { 200: MonitorEventSchema },
  errors: ['NOT_FOUND'],
  async handle({ params: { id }, account }, { monitors }) {
    return { status: 200, data: eventView(await monitors.events.get(id, account)) };
  },
});
