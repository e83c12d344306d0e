import { defineWebhookKind } from './kind.js';
import { exampleData, examplePayload, MonitorData, monitorPart, ThinMonitor, thinMonitor } from './parts.js';

/** monitor.archived */
export const monitorArchived = defineWebhookKind<'monitor.archived', typeof MonitorData>({
  summary: 'A monitor was archived; an open event has ended.',
  subject: 'monitor',
  full: MonitorData,
  thin: ThinMonitor,
  eventExample: examplePayload,
  example: exampleData,
  dataOf: ({ payload }, context) => monitorPart(payload.monitor, context),
  thinOf: thinMonitor,
});
