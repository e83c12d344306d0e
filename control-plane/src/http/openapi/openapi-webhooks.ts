import type { TSchema } from 'typebox';
import type { JsonObject, SchemaComponents } from './openapi-components.js';

/** Request that the service sends to addresses of its users. */
export interface DocumentedWebhook {
  /** Kind of event: `monitor.down`. */
  readonly name: string;
  readonly summary: string;
  /** One of the groups of operations. */
  readonly tag: string;
  /** Schemas of the body, by form. */
  readonly forms: Readonly<Record<string, TSchema>>;
  /** Example of the body, by form. */
  readonly examples: Readonly<Record<string, unknown>>;
}

const header = (name: string, description: string, example: string): JsonObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

/** Headers of every request (Standard Webhooks). */
const signatureHeaders: readonly JsonObject[] = [
  header('webhook-id', 'Id of the event: the same in every attempt.', 'evt_1FZ3ybQXhhsV3cDKtVoMjX'),
  header('webhook-timestamp', 'Time of this attempt, in seconds since the epoch.', '1763716562'),
  header(
    'webhook-signature',
    'Signatures divided by spaces: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

/** The `webhooks` of the document (OpenAPI 3.1, section 4.8.1). */
export function describeWebhooks(webhooks: readonly DocumentedWebhook[], schemas: SchemaComponents): JsonObject {
  return Object.fromEntries(webhooks.map((webhook) => [webhook.name, { post: describe(webhook, schemas) }]));
}

function describe({ name, summary, tag, forms, examples }: DocumentedWebhook, schemas: SchemaComponents): JsonObject {
  const content = {
    schema: { anyOf: Object.values(forms).map((form) => schemas.refer(form)) },
    examples: Object.fromEntries(
      Object.entries(examples).map(([form, value]) => [form, { value: JSON.parse(JSON.stringify(value)) }]),
    ),
  };
  return {
    operationId: `on${name.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}`,
    summary,
    tags: [tag],
    parameters: [...signatureHeaders],
    requestBody: { required: true, content: { 'application/json': content } },
    responses: {
      '2XX': { description: 'The event was received. Any other status is a failure, and another attempt follows.' },
      '410': { description: 'The endpoint no longer wants events: it is disabled.' },
    },
  };
}
