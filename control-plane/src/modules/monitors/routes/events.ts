import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { Type } from 'typebox';
import { cursorList, cursorQuery } from '../../../http/cursor.js';
import { fieldError } from '../../../http/errors.js';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { timeRangeOf, timeRangeQuery } from '../../../http/time-range.js';
import { MonitorEventSchema } from '../schema.js';
import { eventView } from '../view.js';
import { idParams as params, reads, tag } from './monitor-access.js';

const list = cursorList(
  'monitor-events',
  Type.Object(
    {
      at: Type.Integer({ minimum: 0, maximum: 8.64e15 }),
      id: Type.String({ pattern: idPattern(idPrefixes.monitorEvent) }),
    },
    { additionalProperties: false },
  ),
);

/** GET /v1/monitors/{id}/events (API specification 2.4). */
export const listMonitorEvents = defineRoute({
  operationId: 'listMonitorEvents',
  method: 'GET',
  path: '/v1/monitors/{id}/events',
  summary: 'List the events of a monitor',
  description:
    'Episodes in which it was down or degraded, the one that began last first. By page, or by cursor: then none is left out or comes twice when others begin meanwhile. `from` and `to` are about when they began.',
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
    if (after !== null && page.number > 1) throw fieldError('page', 'conflict', 'is where the cursor says');
    const { rows, total } = await monitors.events(id, account, {
      ...timeRangeOf(query, monitors.now()),
      after: after === null ? null : { atMs: after.at, id: after.id },
      offset: page.offset,
      limit: page.limit + 1,
    });
    const { items, pagination: next } = list.page(rows, page.limit, (row) => ({
      at: row.started_at.getTime(),
      id: row.id,
    }));
    const data = { items: items.map(eventView), limit: page.limit, monitor_id: id, page: page.number, total };
    return { status: 200, data, pagination: { ...pagination(page, total), ...next } };
  },
});

/** GET /v1/monitor-events/{id} (API specification 2.4). */
export const getMonitorEvent = defineRoute({
  operationId: 'getMonitorEvent',
  method: 'GET',
  path: '/v1/monitor-events/{id}',
  summary: 'Look at an event',
  tag,
  auth: reads,
  params,
  replies: { 200: MonitorEventSchema },
  errors: ['NOT_FOUND'],
  async handle({ params: { id }, account }, { monitors }) {
    return { status: 200, data: eventView(await monitors.event(id, account)) };
  },
});
