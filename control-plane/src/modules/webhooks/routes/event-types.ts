import { Type } from 'typebox';
import { defineRoute } from '../../../http/route.js';
import { webhookKindNames, webhookKinds } from '../kinds/index.js';
import { bodyExample, bodySchema } from '../kinds/payload.js';
import { reads, tag } from './webhook-access.js';

const EventTypeSchema = Type.Object(
  {
    type: Type.String({ examples: ['monitor.down'] }),
    summary: Type.String(),
    recipient: Type.String({ description: 'Accounts whose endpoints receive it.' }),
    schema: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the body in the full form.' }),
    example: Type.Record(Type.String(), Type.Unknown(), { description: 'Body in the full form.' }),
    thin_example: Type.Record(Type.String(), Type.Unknown(), { description: 'Body in the thin form.' }),
  },
  { additionalProperties: false, title: 'WebhookEventType' },
);

const items = webhookKindNames.map((name) => ({
  type: name,
  summary: webhookKinds[name].summary,
  recipient: `owner of the ${webhookKinds[name].subject}`,
  schema: JSON.parse(JSON.stringify(bodySchema(name, 'full'))),
  example: bodyExample(name, 'full') as Record<string, unknown>,
  thin_example: bodyExample(name, 'thin') as Record<string, unknown>,
}));

export const listWebhookEventTypes = defineRoute({
  operationId: 'listWebhookEventTypes',
  method: 'GET',
  path: '/v1/webhooks/event-types',
  summary: 'List the kinds of webhook events',
  description: 'Kinds that this version sends, with the schema and an example of their bodies.',
  tag,
  auth: reads,
  replies: { 200: Type.Object({ items: Type.Array(EventTypeSchema) }, { additionalProperties: false }) },
  replyExample: { items: items.slice(0, 1) },
  errors: [],
  async handle() {
    return { status: 200, data: { items } };
  },
});
