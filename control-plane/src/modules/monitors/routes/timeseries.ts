import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { defineRoute } from '../../../http/route.js';
import { timeRangeOf, timeRangeQuery } from '../../../http/time-range.js';
import { MAX_POINTS, seriesMetrics } from '../history/history.js';
import { timeLineView } from '../history/history-view.js';
import { keptDays, rollupLevels, rollupSteps } from '../history/rollup-levels.js';
import { idParams as params, reads, tag } from './monitor-access.js';

const Instant = Type.String({ format: 'date-time' });
const Ms = (description: string) =>
  nullable(Type.Number({ minimum: 0 }), `${description}; null: no check got a response.`);
const Count = (description: string) =>
  nullable(Type.Integer({ minimum: 0 }), `${description}; null: no check was made or due.`);
const Step = Type.Enum([...rollupSteps], { type: 'string' });

const common = {
  monitor_id: Type.String(),
  node_id: nullable(Type.String(), 'Node that the points are of; null: all nodes together.'),
  from: { ...Instant, description: 'Start of the first bucket.' },
  to: { ...Instant, description: 'End of the last bucket.' },
  step: Step,
};

const ResponseTimesSchema = Type.Object(
  {
    ...common,
    metric: Type.Literal('response_ms'),
    points: Type.Array(
      Type.Object(
        {
          at: { ...Instant, description: 'Start of the bucket.' },
          avg: Ms('Mean response time in milliseconds'),
          min: Ms('Shortest response time in milliseconds'),
          max: Ms('Longest response time in milliseconds'),
          p50: Ms('Median response time in milliseconds'),
          p95: Ms('95th percentile of the response times in milliseconds'),
          p99: Ms('99th percentile of the response times in milliseconds'),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false, title: 'ResponseTimes' },
);

const CheckCountsSchema = Type.Object(
  {
    ...common,
    metric: Type.Literal('checks'),
    points: Type.Array(
      Type.Object(
        {
          at: { ...Instant, description: 'Start of the bucket.' },
          ok: Count('Checks with the outcome `ok`'),
          degraded: Count('Checks of which only assertions of severity `degraded` failed'),
          failed: Count('Checks with the outcome `failed`'),
          missed: Count('Checks that were due but not run, because their node was offline or too busy'),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false, title: 'CheckCounts' },
);

const kept = rollupLevels.map((level) => `${level.step} for ${keptDays(level)} days`).join(', ');

/** GET /v1/monitors/{id}/timeseries: contract section 5. */
export const getTimeseries = defineRoute({
  operationId: 'getMonitorTimeseries',
  method: 'GET',
  path: '/v1/monitors/{id}/timeseries',
  summary: 'Get the time series of a monitor',
  description: `Results in buckets aligned to UTC, of all nodes together or of one of them; by default of the last day. Each bucket that the range touches has a point, with nulls where there is no data. Counts, mean, min and max are exact; percentiles come from histograms with an error of at most 7.3 %, also across nodes and time. Results that nodes deliver late are included within some minutes. Buckets are kept: ${kept}; older points are null.`,
  tag,
  auth: reads,
  params,
  query: Type.Object({
    metric: Type.Enum([...seriesMetrics], {
      default: 'response_ms',
      type: 'string',
      description: '`response_ms`: response times; `checks`: numbers of checks by outcome.',
    }),
    ...timeRangeQuery,
    step: Type.Optional({
      ...Step,
      description: `Length of a bucket; default: the shortest length that is kept for the whole range and gives at most ${MAX_POINTS} points. A length that gives more points is refused.`,
    }),
    node_id: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Results of this node only, which checks or has checked the monitor.',
      }),
    ),
  }),
  replies: { 200: Type.Union([ResponseTimesSchema, CheckCountsSchema]) },
  errors: ['VALIDATION_FAILED', 'MONITOR_NOT_FOUND', 'NODE_NOT_FOUND'],
  async handle({ params: { id }, query, account, signal }, { monitors }) {
    const { metric, step = null, node_id: nodeId = null } = query;
    const range = timeRangeOf(query, monitors.now());
    const monitor = await monitors.reading.get(id, account);
    const line = await monitors.history.timeLine(monitor, { ...range, metric, step, nodeId }, signal);
    return { status: 200, data: { monitor_id: id, node_id: nodeId, ...timeLineView(line) } };
  },
});
