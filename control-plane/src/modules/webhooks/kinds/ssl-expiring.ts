import { defineWebhookKind } from './kind.js';
import { ExpiryData, exampleData, examplePayload, monitorPart, ThinMonitor, thinMonitor } from './parts.js';

const expiry = { expires_at: '2026-12-05T00:00:00.000Z', days_left: 14, threshold_days: 14 };

/** ssl.expiring */
export const sslExpiring = defineWebhookKind<'ssl.expiring', typeof ExpiryData>({
  summary: 'A certificate expires soon; sent once per threshold and expiry.',
  subject: 'monitor',
  full: ExpiryData,
  thin: ThinMonitor,
  eventExample: { ...examplePayload, ...expiry },
  example: { ...exampleData, ...expiry },
  dataOf: ({ payload: { monitor, expires_at, days_left, threshold_days } }, context) => ({
    ...monitorPart(monitor, context),
    expires_at,
    days_left,
    threshold_days,
  }),
  thinOf: thinMonitor,
});
