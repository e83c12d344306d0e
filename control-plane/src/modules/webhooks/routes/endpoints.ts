import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { endpointView } from '../endpoints/endpoint-view.js';
import {
  EndpointChangeSchema,
  EndpointCreateSchema,
  EndpointSchema,
  MAX_ENDPOINTS,
  RotateSchema,
} from '../endpoints/schema.js';
import { idParams as params, reads, tag, writes } from './webhook-access.js';

const strict = { additionalProperties: false };
const Secret = Type.String({
  description: 'Key that verifies the signatures; shown only here.',
  examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDQtVrpAzpQ7s='],
});

/** GET /v1/webhooks (API specification 2.6). */
export const listWebhooks = defineRoute({
  operationId: 'listWebhooks',
  method: 'GET',
  path: '/v1/webhooks',
  summary: 'List your webhook endpoints',
  description: 'Newest first.',
  tag,
  auth: reads,
  query: Type.Object({ ...pageQuery }),
  replies: { 200: Type.Object({ items: Type.Array(EndpointSchema) }, strict) },
  errors: ['VALIDATION_FAILED'],
  async handle({ query, account }, { webhooks }) {
    const page = pageOf(query);
    const { rows, total } = await webhooks.endpoints.list(account, page);
    const items = rows.map((row) => endpointView(row, webhooks.now()));
    return { status: 200, data: { items }, pagination: pagination(page, total) };
  },
});

/** POST /v1/webhooks (API specification 2.6). */
export const createWebhook = defineRoute({
  operationId: 'createWebhook',
  method: 'POST',
  path: '/v1/webhooks',
  summary: 'Create a webhook endpoint',
  description: `Events are sent from now on, as signed POST requests (Standard Webhooks). The endpoint must reply with a 2xx status within 15 seconds; redirects are failures. Failed events are sent again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h. Every event arrives at least once, in no guaranteed order. An endpoint of a test key receives the events of test resources, others those of the rest. An account may have ${MAX_ENDPOINTS} endpoints.`,
  tag,
  auth: writes,
  body: EndpointCreateSchema,
  bodyExample: {
    url: 'https://hooks.example/vantage',
    events: ['monitor.down', 'monitor.up'],
    description: 'On-call bot',
    filter: { tags_any: ['production'] },
  },
  replies: { 201: Type.Object({ endpoint: EndpointSchema, secret: Secret }, strict) },
  errors: ['VALIDATION_FAILED'],
  async handle(request, { webhooks }) {
    const { account, body } = request;
    const { endpoint, secret } = await webhooks.endpoints.create(body, { account, actor: actorOf(request) });
    return { status: 201, data: { endpoint: endpointView(endpoint, webhooks.now()), secret } };
  },
});

/** GET /v1/webhooks/{id} (API specification 2.6). */
export const getWebhook = defineRoute({
  operationId: 'getWebhook',
  method: 'GET',
  path: '/v1/webhooks/{id}',
  summary: 'Get a webhook endpoint',
  tag,
  auth: reads,
  params,
  replies: { 200: EndpointSchema },
  errors: ['NOT_FOUND'],
  async handle({ params: { id }, account }, { webhooks }) {
    const row = await webhooks.endpoints.get(id, account);
    return { status: 200, data: endpointView(row, webhooks.now()) };
  },
});

/** PATCH /v1/webhooks/{id} (API specification 2.6). */
export const changeWebhook = defineRoute({
  operationId: 'changeWebhook',
  method: 'PATCH',
  path: '/v1/webhooks/{id}',
  summary: 'Update a webhook endpoint',
  description:
    'Fields that are left out do not change; `headers` and `filter` are replaced as a whole. If the URL leads to another server, the values of headers must be sent again. Pausing skips the deliveries that wait to be sent. `status: active` enables a paused or disabled endpoint; events that it missed are sent only when you request them with `POST /v1/webhooks/{id}/recover`.',
  tag,
  auth: writes,
  params,
  body: EndpointChangeSchema,
  bodyExample: { status: 'active' },
  replies: { 200: EndpointSchema },
  errors: ['VALIDATION_FAILED', 'NOT_FOUND'],
  async handle(request, { webhooks }) {
    const { account, body, params } = request;
    const row = await webhooks.endpoints.change(params.id, body, { account, actor: actorOf(request) });
    return { status: 200, data: endpointView(row, webhooks.now()) };
  },
});

/** DELETE /v1/webhooks/{id} (API specification 2.6). */
export const deleteWebhook = defineRoute({
  operationId: 'deleteWebhook',
  method: 'DELETE',
  path: '/v1/webhooks/{id}',
  summary: 'Delete a webhook endpoint',
  description: 'Nothing more is sent to it, and its deliveries are no longer shown.',
  tag,
  auth: writes,
  params,
  replies: { 200: Type.Null() },
  errors: ['NOT_FOUND'],
  async handle(request, { webhooks }) {
    await webhooks.endpoints.delete(request.params.id, { account: request.account, actor: actorOf(request) });
    return { status: 200, data: null };
  },
});

export const rotateWebhookSecret = defineRoute({
  operationId: 'rotateWebhookSecret',
  method: 'POST',
  path: '/v1/webhooks/{id}/rotate-secret',
  summary: 'Rotate the secret of a webhook endpoint',
  description:
    'During the overlap every request has a signature by both secrets, the new one first, so that no request fails while your receiver changes. Rotating again within the overlap ends the oldest secret immediately.',
  tag,
  auth: writes,
  params,
  body: RotateSchema,
  bodyExample: { overlap_hours: 24 },
  replies: {
    200: Type.Object(
      {
        secret: Secret,
        previous_secret_expires_at: nullable(
          Type.String({ format: 'date-time', examples: ['2026-11-22T09:16:00.000Z'] }),
          'Time until which the previous secret signs too; null: it ended immediately.',
        ),
      },
      strict,
    ),
  },
  errors: ['NOT_FOUND'],
  async handle(request, { webhooks }) {
    const { account, body, params } = request;
    const act = { account, actor: actorOf(request) };
    const { secret, previousExpiresAt } = await webhooks.endpoints.rotateSecret(params.id, body.overlap_hours, act);
    const until = previousExpiresAt?.toISOString() ?? null;
    return { status: 200, data: { secret, previous_secret_expires_at: until } };
  },
});
