import { defineWebhookKind } from './kind.js';
import {
  EventData,
  eventPart,
  exampleData,
  examplePayload,
  examplesOfPeriod,
  monitorPart,
  ThinEvent,
  thinEvent,
} from './parts.js';

const period = examplesOfPeriod('degraded', false);

/** monitor.degraded */
export const monitorDegraded = defineWebhookKind<'monitor.degraded', typeof EventData>({
  summary: 'A monitor is degraded.',
  subject: 'monitor',
  full: EventData,
  thin: ThinEvent,
  eventExample: { ...examplePayload, event: period.payload, is_flapping: false },
  example: { ...exampleData, event: period.data, is_flapping: false },
  dataOf: ({ payload }, context) => ({
    ...monitorPart(payload.monitor, context),
    event: eventPart(payload.event),
    is_flapping: payload.is_flapping,
  }),
  thinOf: thinEvent,
});
