import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { defineRoute } from '../../../http/route.js';
import { timeRangeOf, timeRangeQuery } from '../../../http/time-range.js';
import { MAX_POINTS, seriesMetrics } from '../history.js';
import { timeLineView } from '../history-view.js';
import { keptDays, rollupLevels, rollupSteps } from '../rollup-levels.js';
import { idParams as params, reads, tag } from './monitor-access.js';

const Instant = Type.String({ format: 'date-time' });
const Ms = (description: string) => nullable(Type.Number({ minimum: 0 }), `${description}; null: nothing answered.`);
const Count = (description: string) =>
  nullable(Type.Integer({ minimum: 0 }), `${description}; null: nothing was checked, and nothing was due.`);
const Step = Type.Enum([...rollupSteps], { type: 'string' });

const common = {
  monitor_id: Type.String(),
  node_id: nullable(Type.String(), 'Null: of all nodes.'),
  from: { ...Instant, description: 'Begin of the first bucket.' },
  to: { ...Instant, description: 'End of the last one.' },
  step: Step,
};

const ResponseTimesSchema = Type.Object(
  {
    ...common,
    metric: Type.Literal('response_ms'),
    points: Type.Array(
      Type.Object(
        {
          at: { ...Instant, description: 'Begin of the bucket.' },
          avg: Ms('Mean of the response times in milliseconds'),
          min: Ms('Shortest'),
          max: Ms('Longest'),
          p50: Ms('Median'),
          p95: Ms('95 of 100 were as quick'),
          p99: Ms('99 of 100 were as quick'),
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
          at: { ...Instant, description: 'Begin of the bucket.' },
          ok: Count('Checks that were well'),
          degraded: Count('Checks of which only a lesser assertion failed'),
          failed: Count('Checks that failed'),
          missed: Count('Checks that were due and not run: their node was not there, or too busy'),
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
  summary: 'Read the time line of a monitor',
  description: `Rolled up in buckets of UTC, all nodes together or one of them, by default of the last day. There is a point for every bucket that the range touches, with nulls where there is nothing to tell. Counts, mean, min and max are exact; percentiles come from histograms, at most 7.3 % wrong, and add up over nodes and time. What nodes deliver late is in it within some minutes. Buckets are kept: ${kept}; older points are null.`,
  tag,
  auth: reads,
  params,
  query: Type.Object({
    metric: Type.Enum([...seriesMetrics], {
      default: 'response_ms',
      type: 'string',
      description: '`response_ms`: how quickly it answered; `checks`: how checks ended.',
    }),
    ...timeRangeQuery,
    step: Type.Optional({
      ...Step,
      description: `Length of a bucket; default: the shortest that is kept of all of the range and makes at most ${MAX_POINTS} points. A length that makes more is refused.`,
    }),
    node_id: Type.Optional(
      Type.String({ maxLength: 64, description: 'Of this node alone, which has or had the monitor.' }),
    ),
  }),
  replies: { 200: Type.Union([ResponseTimesSchema, CheckCountsSchema]) },
  errors: ['VALIDATION_FAILED', 'MONITOR_NOT_FOUND', 'NODE_NOT_FOUND'],
  async handle({ params: { id }, query, account }, { monitors }) {
    const { metric, step = null, node_id: nodeId = null } = query;
    const range = timeRangeOf(query, monitors.now());
    const line = await monitors.timeLine(id, account, { ...range, metric, step, nodeId });
    return { status: 200, data: { monitor_id: id, node_id: nodeId, ...timeLineView(line) } };
  },
});
