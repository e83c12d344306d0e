import {
  getWebhookDelivery,
  listWebhookDeliveries,
  recoverWebhook,
  redeliverWebhook,
  testWebhook,
} from './routes/deliveries.js';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
} from './routes/endpoints.js';
import { listWebhookEventTypes } from './routes/event-types.js';

/** Operations of this module. */
export const webhookRoutes = [
  listWebhooks,
  createWebhook,
  listWebhookEventTypes,
  getWebhook,
  changeWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  recoverWebhook,
  listWebhookDeliveries,
  getWebhookDelivery,
  redeliverWebhook,
];
