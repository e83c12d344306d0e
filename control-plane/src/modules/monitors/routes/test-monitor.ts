import { Type } from 'typebox';
import { defineRoute } from '../../../http/route.js';
import { MonitorCheckSchema } from '../definition/schema.js';
import { idParams as params, tag, writes } from './monitor-access.js';

const MAX_WAIT_S = 30;

export const testMonitor = defineRoute({
  operationId: 'testMonitor',
  method: 'POST',
  path: '/v1/monitors/{id}/test',
  summary: 'Check a monitor immediately',
  description:
    'Asks each connected node of the monitor for one check outside its schedule, and responds with the results when all nodes have reported or the time is over. Such checks are in the list of checks; they affect neither the state of the monitor nor its schedule.',
  tag,
  auth: writes,
  limit: 'poll',
  params,
  query: Type.Object({
    wait: Type.Integer({ minimum: 0, maximum: MAX_WAIT_S, default: 15, description: 'Longest wait, in seconds.' }),
  }),
  replies: {
    200: Type.Object(
      {
        checks: Type.Array(MonitorCheckSchema),
        waiting_nodes: Type.Array(Type.String(), { description: 'Nodes that have not reported yet.' }),
      },
      { additionalProperties: false },
    ),
  },
  errors: ['VALIDATION_FAILED', 'MONITOR_NOT_FOUND', 'MONITOR_PAUSED', 'NODE_OFFLINE'],
  async handle({ params: { id }, query: { wait }, account, signal }, { monitors }) {
    const monitor = await monitors.reading.get(id, account);
    const { rows, waiting } = await monitors.testChecks.run(monitor, { waitMs: wait * 1_000, signal });
    const checks = await monitors.reading.checkViews(monitor, rows);
    return { status: 200, data: { checks, waiting_nodes: [...waiting] } };
  },
});
