import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { fieldError } from '../../../http/errors.js';
import { defineRoute } from '../../../http/route.js';
import { type BarWindow, barWindows } from '../history/history.js';
import { barView } from '../history/history-view.js';
import { reads, tag } from './monitor-access.js';

/** Greatest number of monitors in a request, that of a page of the list. */
const MAX_IDS = 100;

const Seconds = (description: string) => Type.Integer({ minimum: 0, description });
const CellSchema = Type.Object(
  {
    up: Seconds('Seconds in which it was up'),
    degraded: Seconds('Seconds in which it was degraded'),
    down: Seconds('Seconds in which it was down'),
    unknown: Seconds('Seconds in which it was paused, or not checked yet'),
    maintenance: Seconds('Seconds of maintenance'),
  },
  { additionalProperties: false, title: 'MonitorBarCell' },
);

const shapes = Object.entries(barWindows)
  .map(([name, { cells, cellMs }]) => `\`${name}\` ${cells} of ${cellMs / 60_000} min`)
  .join(', ');

/** GET /v1/monitors/history: the states of several monitors over time, as bars and small charts show them. */
export const getBars = defineRoute({
  operationId: 'getMonitorsHistory',
  method: 'GET',
  path: '/v1/monitors/history',
  summary: 'Get the history of several monitors in cells of equal length',
  description: `How long each monitor was in which state, and its mean response time, in cells of equal length up to now: ${shapes}. States come from the beginnings and ends of events, to the second; events that are false positives do not count. The last cell has only what has passed. Monitors that do not exist are left out.`,
  tag,
  auth: reads,
  query: Type.Object({
    ids: Type.String({
      maxLength: 64 * MAX_IDS,
      description: `Ids of at most ${MAX_IDS} monitors, separated by commas.`,
      example: 'm_1CVGs2sCvBk5vA7vPbXH3x',
    }),
    window: Type.Enum(Object.keys(barWindows) as BarWindow[], { type: 'string', default: '24h' }),
  }),
  replies: {
    200: Type.Object(
      {
        items: Type.Array(
          Type.Object(
            {
              monitor_id: Type.String(),
              from: Type.String({ format: 'date-time', description: 'Start of the first cell.' }),
              step_s: Type.Integer({ description: 'Length of a cell, in seconds.' }),
              uptime_percent: nullable(Type.Number(), 'Uptime in the window; null: it was not watched.'),
              bar: Type.Array(CellSchema),
              response_ms: Type.Array(
                nullable(Type.Number({ minimum: 0 }), 'Mean response time in milliseconds; null: nothing answered.'),
              ),
            },
            { additionalProperties: false, title: 'MonitorHistory' },
          ),
        ),
      },
      { additionalProperties: false },
    ),
  },
  errors: ['VALIDATION_FAILED'],
  async handle({ query, account }, { monitors }) {
    const ids = [...new Set(query.ids.split(',').filter((id) => id !== ''))];
    if (ids.length > MAX_IDS) throw fieldError('ids', 'range', `must be at most ${MAX_IDS} ids`);
    const bars = await monitors.history.bars(account, ids, query.window);
    return { status: 200, data: { items: bars.map(barView) } };
  },
});
