import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { defineRoute } from '../../../http/route.js';
import { timeRangeOf, timeRangeQuery } from '../../../http/time-range.js';
import { uptimeWindows } from '../history/history.js';
import { uptimeView } from '../history/history-view.js';
import { idParams as params, reads, tag } from './monitor-access.js';

const Instant = Type.String({ format: 'date-time' });
const Percent = Type.Number({ minimum: 0, maximum: 100 });

const NodeShare = Type.Object(
  {
    node_id: Type.String(),
    checks: Type.Integer({ minimum: 0 }),
    failed: Type.Integer({ minimum: 0 }),
    success_percent: { ...Percent, description: 'Share of the checks by the node that did not fail.' },
  },
  { additionalProperties: false, title: 'NodeShare' },
);

const figures = {
  from: Instant,
  to: Instant,
  uptime_percent: nullable(Percent, 'Share of the watched time without an outage; null: no time was watched.'),
  downtime_sec: Type.Integer({ minimum: 0, description: 'Seconds of outages within the watched time.' }),
  watched_sec: Type.Integer({
    minimum: 0,
    description: 'Watched time in seconds: since the first check, without pauses and maintenance.',
  }),
  events: Type.Integer({ minimum: 0, description: 'Number of outages that touch the range, without false positives.' }),
  nodes: Type.Array(NodeShare, { description: 'Figures of each node that checked the monitor.' }),
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
  summary: 'Get the uptime of a monitor',
  description:
    'Uptime in the requested range, by default the last 30 days, and in the last 24 hours, 7, 30 and 90 days. Uptime is the share of the watched time without an outage, from the start and end of events of type `down`, to the millisecond; pauses, maintenance, false positives and the time before the first check are left out. Figures of a node are the share of its own checks, counted in whole buckets of a minute, a quarter of an hour, an hour or a day (UTC), depending on the length of the range; failures on one node alone are no outage. A range ends now at the latest and begins five years ago at the earliest. A range in which maintenance windows have more than 20 000 occurrences since the first check is refused: request a shorter one.',
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
  async handle({ params: { id }, query, account, signal }, { monitors }) {
    const range = timeRangeOf(query, monitors.now());
    const monitor = await monitors.reading.get(id, account);
    const { asked, windows } = await monitors.history.uptime(monitor, range, signal);
    const named = uptimeWindows.flatMap(({ name }, index) => {
      const window = windows[index];
      return window === undefined ? [] : [{ window: name, ...uptimeView(window) }];
    });
    return { status: 200, data: { monitor_id: id, ...uptimeView(asked), windows: named } };
  },
});
