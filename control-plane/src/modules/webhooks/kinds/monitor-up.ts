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

const period = examplesOfPeriod('down', true);

/** monitor.up */
export const monitorUp = defineWebhookKind<'monitor.up', typeof EventData>({
  summary: 'A monitor is up again; `event` is the period that ended.',
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
