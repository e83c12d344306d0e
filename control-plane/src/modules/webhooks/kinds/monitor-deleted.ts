import { defineWebhookKind } from './kind.js';
import { exampleData, examplePayload, MonitorData, monitorPart, ThinMonitor, thinMonitor } from './parts.js';

/** monitor.deleted */
export const monitorDeleted = defineWebhookKind<'monitor.deleted', typeof MonitorData>({
  summary: 'A monitor was deleted with its events.',
  subject: 'monitor',
  full: MonitorData,
  thin: ThinMonitor,
  eventExample: examplePayload,
  example: exampleData,
  dataOf: ({ payload }, context) => monitorPart(payload.monitor, context),
  thinOf: thinMonitor,
});
