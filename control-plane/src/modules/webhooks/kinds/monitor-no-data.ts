import { Type } from 'typebox';
import { defineWebhookKind, open } from './kind.js';
import { exampleData, examplePayload, MonitorData, monitorPart, ThinMonitor, thinMonitor } from './parts.js';

const NoData = open({
  ...MonitorData.properties,
  since: Type.String({ format: 'date-time', description: 'Time since which there is no data.' }),
  is_over: Type.Boolean({ description: 'True if there is data again.' }),
});
const since = '2026-11-21T09:16:00.000Z';

/** monitor.no_data */
export const monitorNoData = defineWebhookKind<'monitor.no_data', typeof NoData>({
  summary: 'An active monitor has had no data for five minutes, or has data again.',
  subject: 'monitor',
  full: NoData,
  thin: ThinMonitor,
  eventExample: { ...examplePayload, since, is_over: false },
  example: { ...exampleData, since, is_over: false },
  dataOf: ({ payload }, context) => ({
    ...monitorPart(payload.monitor, context),
    since: payload.since,
    is_over: payload.is_over,
  }),
  thinOf: thinMonitor,
});
