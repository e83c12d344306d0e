import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { offsetBody, offsetFields, offsetQuery } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { API_KEY_DAYS, ApiKeyCreatedSchema, ApiKeyCreateSchema, ApiKeySchema, MAX_TOKENS } from '../schema.js';

const tag = 'API keys';
const auth = { kind: 'scope', scope: 'account' } as const;

/** GET /v1/account/api-keys (API specification 2.6, 4.4). */
export const listApiKeys = defineRoute({
  operationId: 'listApiKeys',
  method: 'GET',
  path: '/v1/account/api-keys',
  summary: 'List your API keys',
  description: 'Lists your keys, newest first, including revoked and expired ones, without their secrets.',
  tag,
  auth,
  query: Type.Object({ ...offsetQuery }),
  replies: {
    200: Type.Object({ api_keys: Type.Array(ApiKeySchema), ...offsetBody }, { additionalProperties: false }),
  },
  errors: [],
  async handle({ query, account }, { tokens }) {
    const { keys, total } = await tokens.apiKeys.list(account.owner.id, query);
    return { status: 200, data: { api_keys: keys, ...offsetFields(query, total) } };
  },
});

/** POST /v1/account/api-keys (API specification 2.6, 4.4). */
export const createApiKey = defineRoute({
  operationId: 'createApiKey',
  method: 'POST',
  path: '/v1/account/api-keys',
  summary: 'Create an API key',
  description: `The response shows the key once; only a hash of it is stored. It is valid for at most ${API_KEY_DAYS} days and never gives access to the account itself.
A personal access token cannot create a key with more scopes than its own (403 with \`details\`). At most ${MAX_TOKENS} keys can be valid at once: revoke one to create another.`,
  tag,
  auth,
  body: ApiKeyCreateSchema,
  bodyExample: { name: 'dashboard', scopes: ['read'], expires_days: 30 },
  replies: { 201: ApiKeyCreatedSchema },
  errors: ['VALIDATION_FAILED', 'FORBIDDEN', 'TOKEN_LIMIT_EXCEEDED'],
  async handle(request, { tokens }) {
    return { status: 201, data: await tokens.apiKeys.create(request.account, request.body, actorOf(request)) };
  },
});

export const revokeApiKey = defineRoute({
  operationId: 'revokeApiKey',
  method: 'DELETE',
  path: '/v1/account/api-keys/{id}',
  summary: 'Revoke an API key',
  description:
    'Requests with the key are refused at once. The key stays in the list. Revoking a revoked key has no effect.',
  tag,
  auth,
  params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
  replies: { 200: Type.Null() },
  errors: ['API_KEY_NOT_FOUND'],
  async handle(request, { tokens }) {
    await tokens.apiKeys.revoke(request.params.id, request.account.owner.id, actorOf(request));
    return { status: 200, data: null };
  },
});
