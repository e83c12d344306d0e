import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { personOf } from '../../../http/access.js';
import { defineRoute } from '../../../http/route.js';
import { SessionSchema } from '../profile/schema.js';
import { sessionView } from '../sessions/session-view.js';

const tag = 'Account';
const auth = { kind: 'scope', scope: 'account' } as const;

/** POST /v1/auth/logout (API specification 4.4). */
export const logout = defineRoute({
  operationId: 'logout',
  method: 'POST',
  path: '/v1/auth/logout',
  summary: 'Sign out',
  description: 'Ends the session of the access token at once, on every replica.',
  tag: 'Authentication',
  auth: { kind: 'session' },
  isOpenToUnverified: true,
  replies: { 200: Type.Null() },
  errors: ['NOT_FOUND'],
  async handle(request, { accounts: { sessions } }) {
    const { account } = request;
    await sessions.end(personOf(account).id, account.credentialId, { actor: actorOf(request), isLogout: true });
    return { status: 200, data: null };
  },
});

export const listSessions = defineRoute({
  operationId: 'listSessions',
  method: 'GET',
  path: '/v1/account/sessions',
  summary: 'List your sessions',
  tag,
  auth,
  replies: { 200: Type.Object({ items: Type.Array(SessionSchema) }) },
  errors: [],
  async handle({ account }, { accounts: { sessions } }) {
    const rows = await sessions.list(personOf(account).id);
    const items = rows.map((row) => sessionView(row, account.credentialId));
    return { status: 200, data: { items } };
  },
});

export const endOtherSessions = defineRoute({
  operationId: 'endOtherSessions',
  method: 'DELETE',
  path: '/v1/account/sessions',
  summary: 'End your other sessions',
  description: 'Ends all sessions except the one of the request.',
  tag,
  auth,
  isOpenToUnverified: true,
  replies: { 200: Type.Null() },
  errors: [],
  async handle(request, { accounts: { sessions } }) {
    const { account } = request;
    const except = account.credentialKind === 'session' ? account.credentialId : null;
    await sessions.endAllBut(personOf(account).id, except, actorOf(request));
    return { status: 200, data: null };
  },
});

export const endSession = defineRoute({
  operationId: 'endSession',
  method: 'DELETE',
  path: '/v1/account/sessions/{id}',
  summary: 'End a session',
  tag,
  auth,
  isOpenToUnverified: true,
  params: Type.Object({ id: Type.String({ maxLength: 64, examples: ['ses_1CVGs2sCvBk5vA7vPbXH3x'] }) }),
  replies: { 200: Type.Null() },
  errors: ['NOT_FOUND'],
  async handle(request, { accounts: { sessions } }) {
    await sessions.end(personOf(request.account).id, request.params.id, { actor: actorOf(request), isLogout: false });
    return { status: 200, data: null };
  },
});
