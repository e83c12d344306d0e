import { Type } from 'typebox';
import { defineWebhookKind, open } from './kind.js';
import { exampleData, examplePayload, MonitorData, monitorPart, ThinMonitor, thinMonitor } from './parts.js';

const FlappingData = open({
  ...MonitorData.properties,
  is_flapping: Type.Boolean({ description: 'False: the monitor has settled.' }),
  is_up: Type.Boolean({ description: 'True if the monitor is up at the moment.' }),
});

/** monitor.flapping */
export const monitorFlapping = defineWebhookKind<'monitor.flapping', typeof FlappingData>({
  summary: 'A monitor changes its state often, or has settled.',
  subject: 'monitor',
  full: FlappingData,
  thin: ThinMonitor,
  eventExample: { ...examplePayload, is_flapping: true, is_up: false },
  example: { ...exampleData, is_flapping: true, is_up: false },
  dataOf: ({ payload }, context) => ({
    ...monitorPart(payload.monitor, context),
    is_flapping: payload.is_flapping,
    is_up: payload.is_up,
  }),
  thinOf: thinMonitor,
});
