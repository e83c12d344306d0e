import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { Type } from 'typebox';
import { cursorList, cursorQuery, limitOfPage } from '../../../http/cursor.js';
import { defineRoute } from '../../../http/route.js';
import { timeRangeOf, timeRangeQuery } from '../../../http/time-range.js';
import { MonitorCheckSchema } from '../definition/schema.js';
import { idParams as params, reads, tag } from './monitor-access.js';

const list = cursorList(
  'checks',
  Type.Object(
    { at: Type.Integer({ minimum: 0, maximum: 8.64e15 }), node: Type.String({ pattern: idPattern(idPrefixes.node) }) },
    { additionalProperties: false },
  ),
);

/** GET /v1/monitors/{id}/checks (API specification 2.4). */
export const listChecks = defineRoute({
  operationId: 'listMonitorChecks',
  method: 'GET',
  path: '/v1/monitors/{id}/checks',
  summary: 'List the checks of a monitor',
  description: 'Checks by all nodes of the monitor, newest first.',
  tag,
  auth: reads,
  params,
  query: Type.Object({ ...cursorQuery, ...timeRangeQuery }),
  replies: { 200: Type.Array(MonitorCheckSchema) },
  errors: ['VALIDATION_FAILED', 'MONITOR_NOT_FOUND'],
  async handle({ params: { id }, query, account }, { monitors }) {
    const limit = limitOfPage(query);
    const after = list.parse(query.cursor);
    const range = timeRangeOf(query, monitors.now());
    const monitor = await monitors.reading.get(id, account);
    const rows = await monitors.reading.checks(monitor, {
      ...range,
      after: after === null ? null : { atMs: after.at, nodeId: after.node },
      limit: limit + 1,
    });
    const { items, pagination } = list.page(rows, limit, (row) => ({ at: row.at.getTime(), node: row.node_id }));
    return { status: 200, data: await monitors.reading.checkViews(monitor, items), pagination };
  },
});
