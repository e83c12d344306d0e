import { Type } from 'typebox';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { MonitorEventSchema } from '../schema.js';
import { eventView } from '../view.js';
import { idParams as params, reads, tag } from './monitor-access.js';

/** GET /v1/monitors/{id}/events (API specification 2.4). */
export const listMonitorEvents = defineRoute({
  operationId: 'listMonitorEvents',
  method: 'GET',
  path: '/v1/monitors/{id}/events',
  summary: 'List the events of a monitor',
  description: 'Episodes in which it was down or degraded, the one that began last first.',
  tag,
  auth: reads,
  params,
  query: Type.Object({ ...pageQuery }),
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
    const { rows, total } = await monitors.events(id, account, page);
    const data = { items: rows.map(eventView), limit: page.limit, monitor_id: id, page: page.number, total };
    return { status: 200, data, pagination: pagination(page, total) };
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
