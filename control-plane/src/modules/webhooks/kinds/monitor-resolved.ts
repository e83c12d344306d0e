import { defineWebhookKind } from './kind.js';
import {
  eventPart,
  exampleData,
  examplePayload,
  examplesOfPeriod,
  monitorPart,
  ResolvedData,
  ThinEvent,
  thinEvent,
} from './parts.js';

const period = examplesOfPeriod('down', false);
const resolved_by = 'ada@example.com';

/** monitor.resolved */
export const monitorResolved = defineWebhookKind<'monitor.resolved', typeof ResolvedData>({
  summary: 'A user resolved the event of a monitor, which may still be down.',
  subject: 'monitor',
  full: ResolvedData,
  thin: ThinEvent,
  eventExample: { ...examplePayload, event: period.payload, resolved_by },
  example: { ...exampleData, event: period.data, resolved_by },
  dataOf: ({ payload }, context) => ({
    ...monitorPart(payload.monitor, context),
    event: eventPart(payload.event),
    resolved_by: payload.resolved_by,
  }),
  thinOf: thinEvent,
});
