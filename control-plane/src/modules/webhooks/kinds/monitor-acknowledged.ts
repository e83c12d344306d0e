import { defineWebhookKind } from './kind.js';
import {
  AcknowledgedData,
  eventPart,
  exampleData,
  examplePayload,
  examplesOfPeriod,
  monitorPart,
  ThinEvent,
  thinEvent,
} from './parts.js';

const period = examplesOfPeriod('down', false);
const acknowledged_by = 'u_1FZ3ybQXhhsV3cDKtVoMjX';

/** monitor.acknowledged */
export const monitorAcknowledged = defineWebhookKind<'monitor.acknowledged', typeof AcknowledgedData>({
  summary: 'A user acknowledged the open event of a monitor.',
  subject: 'monitor',
  full: AcknowledgedData,
  thin: ThinEvent,
  eventExample: { ...examplePayload, event: period.payload, acknowledged_by },
  example: { ...exampleData, event: period.data, acknowledged_by },
  dataOf: ({ payload }, context) => ({
    ...monitorPart(payload.monitor, context),
    event: eventPart(payload.event),
    acknowledged_by: payload.acknowledged_by,
  }),
  thinOf: thinEvent,
});
