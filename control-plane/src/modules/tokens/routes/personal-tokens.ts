import { Type } from 'typebox';
import { actorOf } from '../../../actor.js';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { MAX_TOKENS, PersonalTokenCreatedSchema, PersonalTokenCreateSchema, PersonalTokenSchema } from '../schema.js';

const tag = 'Personal access tokens';
const auth = { kind: 'scope', scope: 'account' } as const;

/** GET /v1/account/tokens. */
export const listPersonalAccessTokens = defineRoute({
  operationId: 'listPersonalAccessTokens',
  method: 'GET',
  path: '/v1/account/tokens',
  summary: 'List your personal access tokens',
  description: 'Newest first, revoked and expired ones among them. Never the tokens themselves.',
  tag,
  auth,
  query: Type.Object({ ...pageQuery }),
  replies: { 200: Type.Object({ tokens: Type.Array(PersonalTokenSchema) }, { additionalProperties: false }) },
  errors: [],
  async handle({ query, account }, services) {
    const page = pageOf(query);
    const { tokens, total } = await services.tokens.personal.list(account.userId, page);
    return { status: 200, data: { tokens }, pagination: pagination(page, total) };
  },
});

/** POST /v1/account/tokens. */
export const createPersonalAccessToken = defineRoute({
  operationId: 'createPersonalAccessToken',
  method: 'POST',
  path: '/v1/account/tokens',
  summary: 'Make a personal access token',
  description: `The token is shown this once; only a hash of it is stored. It acts as you, with the scopes you choose and the account itself.
A token can make no other that may do more than itself (403 with \`details\`). At most ${MAX_TOKENS} tokens can be usable at once: revoke one to make room.`,
  tag,
  auth,
  body: PersonalTokenCreateSchema,
  bodyExample: { name: 'laptop', scopes: ['probe', 'monitor:read'], expires_days: 30 },
  replies: { 201: PersonalTokenCreatedSchema },
  errors: ['VALIDATION_FAILED', 'FORBIDDEN', 'TOKEN_LIMIT_EXCEEDED'],
  async handle(request, { tokens }) {
    return { status: 201, data: await tokens.personal.create(request.account, request.body, actorOf(request)) };
  },
});

/** DELETE /v1/account/tokens/{id}. */
export const revokePersonalAccessToken = defineRoute({
  operationId: 'revokePersonalAccessToken',
  method: 'DELETE',
  path: '/v1/account/tokens/{id}',
  summary: 'Revoke a personal access token',
  description:
    'Every request with it is refused at once, this very token among them. It stays in the list; revoking it again does nothing.',
  tag,
  auth,
  params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
  replies: { 200: Type.Null() },
  errors: ['PAT_NOT_FOUND'],
  async handle(request, { tokens }) {
    await tokens.personal.revoke(request.params.id, request.account.userId, actorOf(request));
    return { status: 200, data: null };
  },
});
