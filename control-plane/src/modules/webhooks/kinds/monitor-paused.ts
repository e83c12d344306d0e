import { defineWebhookKind } from './kind.js';
import { exampleData, examplePayload, MonitorData, monitorPart, ThinMonitor, thinMonitor } from './parts.js';

/** monitor.paused */
export const monitorPaused = defineWebhookKind<'monitor.paused', typeof MonitorData>({
  summary: 'A monitor was paused; an open event has ended.',
  subject: 'monitor',
  full: MonitorData,
  thin: ThinMonitor,
  eventExample: examplePayload,
  example: exampleData,
  dataOf: ({ payload }, context) => monitorPart(payload.monitor, context),
  thinOf: thinMonitor,
});
