import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { defineRoute } from '../../../http/route.js';
import { timeRangeOf, timeRangeQuery } from '../../../http/time-range.js';
import { uptimeWindows } from '../history.js';
import { uptimeView } from '../history-view.js';
import { idParams as params, reads, tag } from './monitor-access.js';

const Instant = Type.String({ format: 'date-time' });
const Percent = Type.Number({ minimum: 0, maximum: 100 });

const NodeShare = Type.Object(
  {
    node_id: Type.String(),
    checks: Type.Integer({ minimum: 0 }),
    failed: Type.Integer({ minimum: 0 }),
    success_percent: { ...Percent, description: 'Share of its checks that did not fail.' },
  },
  { additionalProperties: false, title: 'NodeShare' },
);

const figures = {
  from: Instant,
  to: Instant,
  uptime_percent: nullable(Percent, 'Of the time that was watched; null when nothing was.'),
  downtime_sec: Type.Integer({ minimum: 0, description: 'Of the time that was watched.' }),
  watched_sec: Type.Integer({
    minimum: 0,
    description: 'Since the first check, without pauses and maintenance.',
  }),
  events: Type.Integer({ minimum: 0, description: 'Outages that touch it, without false positives.' }),
  nodes: Type.Array(NodeShare, { description: 'By node, those that checked it.' }),
};

const WindowSchema = Type.Object(
  {
    window: Type.Enum(
      uptimeWindows.map(({ name }) => name),
      { type: 'string' },
    ),
    ...figures,
  },
  { additionalProperties: false, title: 'UptimeWindow' },
);

/** GET /v1/monitors/{id}/uptime: contract section 5. */
export const getUptime = defineRoute({
  operationId: 'getMonitorUptime',
  method: 'GET',
  path: '/v1/monitors/{id}/uptime',
  summary: 'Read the uptime of a monitor',
  description:
    'Of the range that is asked for, by default the last 30 days, and of the last 24 hours, 7, 30 and 90 days. Uptime is the share of the watched time without an outage, by when events of type `down` began and ended, to the millisecond: pauses, maintenance, false positives and what was before the first check are left out. What each node says is the share of its own checks, counted in whole buckets of a minute, a quarter of an hour, an hour or a day (UTC), by the length of the range; one node alone makes no outage. A range ends now at the latest.',
  tag,
  auth: reads,
  params,
  query: Type.Object({ ...timeRangeQuery }),
  replies: {
    200: Type.Object(
      { monitor_id: Type.String(), ...figures, windows: Type.Array(WindowSchema) },
      { additionalProperties: false, title: 'MonitorUptime' },
    ),
  },
  errors: ['VALIDATION_FAILED', 'MONITOR_NOT_FOUND'],
  async handle({ params: { id }, query, account }, { monitors }) {
    const { asked, windows } = await monitors.uptime(id, account, timeRangeOf(query, monitors.now()));
    const named = uptimeWindows.flatMap(({ name }, index) => {
      const window = windows[index];
      return window === undefined ? [] : [{ window: name, ...uptimeView(window) }];
    });
    return { status: 200, data: { monitor_id: id, ...uptimeView(asked), windows: named } };
  },
});
