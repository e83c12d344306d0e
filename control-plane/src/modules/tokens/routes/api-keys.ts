import { Type } from 'typebox';
import { actorOf } from '../../../actor.js';
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
  description: 'Newest first, revoked and expired ones among them. Never the keys themselves.',
  tag,
  auth,
  query: Type.Object({ ...offsetQuery }),
  replies: {
    200: Type.Object({ api_keys: Type.Array(ApiKeySchema), ...offsetBody }, { additionalProperties: false }),
  },
  errors: [],
  async handle({ query, account }, { tokens }) {
    const { keys, total } = await tokens.apiKeys.list(account.userId, query);
    return { status: 200, data: { api_keys: keys, ...offsetFields(query, total) } };
  },
});

/** POST /v1/account/api-keys (API specification 2.6, 4.4). */
export const createApiKey = defineRoute({
  operationId: 'createApiKey',
  method: 'POST',
  path: '/v1/account/api-keys',
  summary: 'Make an API key',
  description: `The key is shown this once; only a hash of it is stored. It is valid for at most ${API_KEY_DAYS} days and never opens the account itself.
A personal access token can make no key that may do more than itself (403 with \`details\`). At most ${MAX_TOKENS} keys can be usable at once: revoke one to make room.`,
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

/** DELETE /v1/account/api-keys/{id}. */
export const revokeApiKey = defineRoute({
  operationId: 'revokeApiKey',
  method: 'DELETE',
  path: '/v1/account/api-keys/{id}',
  summary: 'Revoke an API key',
  description: 'Every request with it is refused at once. It stays in the list; revoking it again does nothing.',
  tag,
  auth,
  params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
  replies: { 200: Type.Null() },
  errors: ['API_KEY_NOT_FOUND'],
  async handle(request, { tokens }) {
    await tokens.apiKeys.revoke(request.params.id, request.account.userId, actorOf(request));
    return { status: 200, data: null };
  },
});
