import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { personOf } from '../../../http/access.js';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { MAX_TOKENS, PersonalTokenCreatedSchema, PersonalTokenCreateSchema, PersonalTokenSchema } from '../schema.js';

const tag = 'Personal access tokens';
const auth = { kind: 'scope', scope: 'account' } as const;

export const listPersonalAccessTokens = defineRoute({
  operationId: 'listPersonalAccessTokens',
  method: 'GET',
  path: '/v1/account/tokens',
  summary: 'List your personal access tokens',
  description: 'Lists your tokens, newest first, including revoked and expired ones, without their secrets.',
  tag,
  auth,
  query: Type.Object({ ...pageQuery }),
  replies: { 200: Type.Object({ tokens: Type.Array(PersonalTokenSchema) }, { additionalProperties: false }) },
  errors: [],
  async handle({ query, account }, services) {
    const page = pageOf(query);
    const { tokens, total } = await services.tokens.personal.list(personOf(account).id, page);
    return { status: 200, data: { tokens }, pagination: pagination(page, total) };
  },
});

export const createPersonalAccessToken = defineRoute({
  operationId: 'createPersonalAccessToken',
  method: 'POST',
  path: '/v1/account/tokens',
  summary: 'Create a personal access token',
  description: `The response shows the token once; only a hash of it is stored. It acts as you, with the scopes that you choose and \`account\`.
A token cannot create one with more scopes than its own (403 with \`details\`). Only administrators can request \`admin\`, which must be named explicitly. At most ${MAX_TOKENS} tokens can be valid at once: revoke one to create another.`,
  tag,
  auth: { ...auth, isFresh: true },
  body: PersonalTokenCreateSchema,
  bodyExample: { name: 'laptop', scopes: ['probe', 'monitor:read'], expires_days: 30 },
  replies: { 201: PersonalTokenCreatedSchema },
  errors: ['VALIDATION_FAILED', 'FORBIDDEN', 'TOKEN_LIMIT_EXCEEDED'],
  async handle(request, { tokens }) {
    const maker = { userId: personOf(request.account).id, scopes: request.account.scopes };
    return { status: 201, data: await tokens.personal.create(maker, request.body, actorOf(request)) };
  },
});

export const revokePersonalAccessToken = defineRoute({
  operationId: 'revokePersonalAccessToken',
  method: 'DELETE',
  path: '/v1/account/tokens/{id}',
  summary: 'Revoke a personal access token',
  description:
    'Requests with the token are refused at once, even if it is the token of this request. The token stays in the list. Revoking a revoked token has no effect.',
  tag,
  auth,
  params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
  replies: { 200: Type.Null() },
  errors: ['PAT_NOT_FOUND'],
  async handle(request, { tokens }) {
    await tokens.personal.revoke(request.params.id, personOf(request.account).id, actorOf(request));
    return { status: 200, data: null };
  },
});
