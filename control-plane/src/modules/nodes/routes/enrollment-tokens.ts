import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { EnrollmentTokenCreatedSchema, EnrollmentTokenCreateSchema, EnrollmentTokenSchema } from '../schema.js';

const tag = 'Enrollment';
const auth = { kind: 'scope', scope: 'account' } as const;

/** POST /v1/nodes/enrollment-tokens (API specification 2.6). */
export const createEnrollmentToken = defineRoute({
  operationId: 'createEnrollmentToken',
  method: 'POST',
  path: '/v1/nodes/enrollment-tokens',
  summary: 'Create a one-time enrollment token',
  description:
    'The response shows the token once; only a hash is stored. The token enrolls one agent within its validity. The number of open tokens is limited to the number of nodes of the plan. A node receives the secrets of its owner’s monitors; a node of an administrator receives those of all users who trust such nodes.',
  tag,
  auth: { ...auth, handsOut: ['monitor:read', 'monitor:write', 'admin'] },
  body: EnrollmentTokenCreateSchema,
  bodyExample: { label: 'frankfurt-1', country_code: 'DE' },
  replies: { 201: EnrollmentTokenCreatedSchema },
  replyExample: {
    id: 'et_1CGRtJ1RH3rs4vbBJ5pyj7',
    token: 'ent_…',
    expires_at: '2026-02-01T12:00:00.000Z',
  },
  errors: ['VALIDATION_FAILED', 'FORBIDDEN', 'FEATURE_LOCKED', 'TOKEN_LIMIT_EXCEEDED'],
  async handle(request, { nodes }) {
    return { status: 201, data: await nodes.enrollmentTokens.create(request.account, request.body, actorOf(request)) };
  },
});

export const listEnrollmentTokens = defineRoute({
  operationId: 'listEnrollmentTokens',
  method: 'GET',
  path: '/v1/nodes/enrollment-tokens',
  summary: 'List your enrollment tokens',
  tag,
  auth,
  query: Type.Object({ ...pageQuery }),
  replies: { 200: Type.Object({ tokens: Type.Array(EnrollmentTokenSchema) }) },
  errors: [],
  async handle({ query, account }, { nodes }) {
    const page = pageOf(query);
    const { tokens, total } = await nodes.enrollmentTokens.list(account.owner.id, page);
    return { status: 200, data: { tokens }, pagination: pagination(page, total) };
  },
});

export const revokeEnrollmentToken = defineRoute({
  operationId: 'revokeEnrollmentToken',
  method: 'DELETE',
  path: '/v1/nodes/enrollment-tokens/{id}',
  summary: 'Revoke an unused enrollment token',
  tag,
  auth,
  params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
  replies: { 200: Type.Null() },
  errors: ['NOT_FOUND', 'NODE_STATE_CONFLICT'],
  async handle(request, { nodes }) {
    await nodes.enrollmentTokens.revoke(request.params.id, request.account.owner.id, actorOf(request));
    return { status: 200, data: null };
  },
});
