import type { DocumentedWebhook } from '../../../http/openapi/openapi-webhooks.js';
import { webhookKindNames, webhookKinds } from './index.js';
import { bodyExample, bodySchema } from './payload.js';

/** Every kind as the OpenAPI document describes it. */
export const openApiWebhooks: readonly DocumentedWebhook[] = webhookKindNames.map((name) => ({
  name,
  summary: webhookKinds[name].summary,
  tag: 'Webhooks',
  forms: { full: bodySchema(name, 'full'), thin: bodySchema(name, 'thin') },
  examples: { full: bodyExample(name, 'full'), thin: bodyExample(name, 'thin') },
}));
