import { defineWebhookKind } from './kind.js';
import { exampleData, examplePayload, MonitorData, monitorPart, ThinMonitor, thinMonitor } from './parts.js';

/** monitor.resumed */
export const monitorResumed = defineWebhookKind<'monitor.resumed', typeof MonitorData>({
  summary: 'A monitor was resumed.',
  subject: 'monitor',
  full: MonitorData,
  thin: ThinMonitor,
  eventExample: examplePayload,
  example: exampleData,
  dataOf: ({ payload }, context) => monitorPart(payload.monitor, context),
  thinOf: thinMonitor,
});
