import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { type Static, Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { planNames } from '../../../plans/index.js';
import type { AdminAct, Administration } from '../administration.js';
import { type AccountRow, accountFactors, accountStatuses } from '../profile/account-store.js';

const tag = 'Administration';
const auth = { kind: 'admin' } as const;
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });
const Instant = Type.String({ format: 'date-time', examples: ['2026-03-01T12:00:00.000Z'] });
const Role = Type.Enum(['user', 'admin'], { type: 'string', examples: ['user'] });
const Plan = Type.Enum([...planNames], { type: 'string', examples: ['free'] });
const Reason = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: '\\S',
  description: 'Stored in the audit log of the account, which its owner reads.',
});
const reasonBody = Type.Object({ reason: Reason }, { additionalProperties: false, title: 'AdminReason' });
const bodyExample = { reason: 'the owner lost their phone' };

const AdminUserSchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.user), examples: ['u_1CVGs2sCvBk5vA7vPbXH3x'] }),
    email: Type.String({ description: 'Empty once the account is erased.', examples: ['ada@example.com'] }),
    role: Role,
    plan: Plan,
    status: Type.Enum([...accountStatuses], {
      type: 'string',
      description: '`deleting`: it is erased within 14 days unless it is restored; `deleted`: it was erased just now.',
      examples: ['active'],
    }),
    email_verified: Type.Boolean({ examples: [true] }),
    factors: Type.Array(Type.Enum([...accountFactors], { type: 'string', examples: ['password'] }), {
      description: 'Methods by which the user can sign in.',
    }),
    created_at: Instant,
    last_seen_at: Type.Union([Instant, Type.Null()], {
      description: 'Last use of a session, within the hour; null: no session in about the last month.',
    }),
  },
  { additionalProperties: false, title: 'AdminUser' },
);

function view(row: AccountRow): Static<typeof AdminUserSchema> {
  const { email, factors, created_at, last_seen_at } = row;
  return {
    id: row.id,
    email: email ?? '',
    role: row.role,
    plan: row.plan,
    status: row.status,
    email_verified: row.email_verified,
    factors,
    created_at: created_at.toISOString(),
    last_seen_at: last_seen_at?.toISOString() ?? null,
  };
}

export const listUsers = defineRoute({
  operationId: 'listUsers',
  method: 'GET',
  path: '/v1/admin/users',
  summary: 'List users',
  description: 'Newest first, without those that are erased.',
  tag,
  auth,
  query: Type.Object({
    ...pageQuery,
    q: Type.Optional(
      Type.String({ minLength: 1, maxLength: 254, description: 'Part of the address or name, or the id.' }),
    ),
    status: Type.Optional(Type.Enum(['active', 'disabled', 'deleting'], { type: 'string' })),
    role: Type.Optional(Role),
    plan: Type.Optional(Plan),
  }),
  replies: { 200: Type.Object({ items: Type.Array(AdminUserSchema) }) },
  errors: [],
  async handle({ query }, { accounts: { administration } }) {
    const page = pageOf(query);
    const { rows, total } = await administration.list(query, page);
    return { status: 200, data: { items: rows.map(view) }, pagination: pagination(page, total) };
  },
});

export const getUser = defineRoute({
  operationId: 'getUser',
  method: 'GET',
  path: '/v1/admin/users/{id}',
  summary: 'Get a user',
  tag,
  auth,
  params,
  replies: { 200: AdminUserSchema },
  errors: ['ACCOUNT_NOT_FOUND'],
  async handle({ params: { id } }, { accounts: { administration } }) {
    return { status: 200, data: view(await administration.get(id)) };
  },
});

export const changeUser = defineRoute({
  operationId: 'changeUser',
  method: 'PATCH',
  path: '/v1/admin/users/{id}',
  summary: 'Disable or enable a user, or change the role',
  description:
    'Disabling ends the sessions for good; keys and tokens are not accepted until the user is enabled. 409 for oneself and for the only administrator.',
  tag,
  auth,
  params,
  body: Type.Object(
    {
      reason: Reason,
      status: Type.Optional(Type.Enum(['active', 'disabled'], { type: 'string' })),
      role: Type.Optional(Role),
    },
    { additionalProperties: false, title: 'AdminUserChange' },
  ),
  bodyExample: { reason: 'sends floods', status: 'disabled' },
  replies: { 200: AdminUserSchema },
  errors: ['CONFLICT', 'ACCOUNT_NOT_FOUND'],
  async handle(request, { accounts: { administration } }) {
    const { id } = request.params;
    const { reason, ...change } = request.body;
    await administration.change(id, change, { actor: actorOf(request), reason });
    return { status: 200, data: view(await administration.get(id)) };
  },
});

export const deleteUser = defineRoute({
  operationId: 'deleteUser',
  method: 'DELETE',
  path: '/v1/admin/users/{id}',
  summary: 'Delete a user',
  description:
    'As the owner would: all access ends, and the account is erased in 14 days unless the mailed link or `…/restore` restores it. An account whose address is not verified is erased at once. 409 for oneself and for the only administrator.',
  tag,
  auth,
  params,
  body: reasonBody,
  bodyExample,
  replies: { 200: AdminUserSchema },
  errors: ['CONFLICT', 'ACCOUNT_NOT_FOUND'],
  async handle(request, { accounts: { administration } }) {
    const { id } = request.params;
    const row = await administration.delete(id, { actor: actorOf(request), reason: request.body.reason });
    return { status: 200, data: view(row) };
  },
});

/** Defines an act on any account, POST /v1/admin/users/{id}/NAME. The response is the user. */
function userAct(act: {
  readonly operationId: string;
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly perform: (administration: Administration, id: string, act: AdminAct) => Promise<void>;
}) {
  const { operationId, name, summary, description, perform } = act;
  return defineRoute({
    operationId,
    method: 'POST',
    path: `/v1/admin/users/{id}/${name}`,
    summary,
    description,
    tag,
    auth,
    params,
    body: reasonBody,
    bodyExample,
    replies: { 200: AdminUserSchema },
    errors: ['CONFLICT', 'ACCOUNT_NOT_FOUND'],
    async handle(request, { accounts: { administration } }) {
      const { id } = request.params;
      await perform(administration, id, { actor: actorOf(request), reason: request.body.reason });
      return { status: 200, data: view(await administration.get(id)) };
    },
  });
}

export const resetUserFactors = userAct({
  operationId: 'resetUserFactors',
  name: 'reset-factors',
  summary: 'Reset the second factors of a user',
  description:
    'Removes the authenticator app, recovery codes and passkeys, and ends all sessions; the owner gets a mail. Be sure that it is the owner who asks. 409 for oneself.',
  perform: (administration, id, act) => administration.resetFactors(id, act),
});

export const endUserSessions = userAct({
  operationId: 'endUserSessions',
  name: 'end-sessions',
  summary: 'End the sessions of a user',
  description: 'Keys and tokens stay valid. 409 for oneself.',
  perform: (administration, id, act) => administration.endSessions(id, act),
});

export const restoreUser = userAct({
  operationId: 'restoreUser',
  name: 'restore',
  summary: 'Restore a deleted user',
  description: 'Restores all but sessions. 409 unless the account is to be erased.',
  perform: (administration, id, act) => administration.restore(id, act),
});
