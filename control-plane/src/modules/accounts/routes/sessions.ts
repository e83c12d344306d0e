import { Type } from 'typebox';
import { actorOf } from '../../../actor.js';
import { defineRoute } from '../../../http/route.js';
import { SessionSchema } from '../schema.js';

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
  replies: { 200: Type.Null() },
  errors: ['NOT_FOUND'],
  async handle(request, { sessions }) {
    const { account } = request;
    await sessions.end(account.userId, account.credentialId, { actor: actorOf(request), isLogout: true });
    return { status: 200, data: null };
  },
});

/** GET /v1/account/sessions. */
export const listSessions = defineRoute({
  operationId: 'listSessions',
  method: 'GET',
  path: '/v1/account/sessions',
  summary: 'List where you are signed in',
  tag,
  auth,
  replies: { 200: Type.Object({ items: Type.Array(SessionSchema) }) },
  errors: [],
  async handle({ account }, { sessions }) {
    const rows = await sessions.list(account.userId);
    const items = rows.map(({ id, methods, address, user_agent, created_at, last_used_at, expires_at }) => ({
      id,
      is_current: id === account.credentialId,
      methods,
      address,
      user_agent,
      created_at: created_at.toISOString(),
      last_used_at: last_used_at.toISOString(),
      expires_at: expires_at.toISOString(),
    }));
    return { status: 200, data: { items } };
  },
});

/** DELETE /v1/account/sessions. */
export const endOtherSessions = defineRoute({
  operationId: 'endOtherSessions',
  method: 'DELETE',
  path: '/v1/account/sessions',
  summary: 'Sign out everywhere else',
  description: 'Ends every session but the one this is asked by.',
  tag,
  auth,
  replies: { 200: Type.Null() },
  errors: [],
  async handle(request, { sessions }) {
    const { account } = request;
    const except = account.credentialKind === 'session' ? account.credentialId : null;
    await sessions.endAllBut(account.userId, except, actorOf(request));
    return { status: 200, data: null };
  },
});

/** DELETE /v1/account/sessions/{id}. */
export const endSession = defineRoute({
  operationId: 'endSession',
  method: 'DELETE',
  path: '/v1/account/sessions/{id}',
  summary: 'End one session',
  tag,
  auth,
  params: Type.Object({ id: Type.String({ maxLength: 64, examples: ['ses_1CVGs2sCvBk5vA7vPbXH3x'] }) }),
  replies: { 200: Type.Null() },
  errors: ['NOT_FOUND'],
  async handle(request, { sessions }) {
    await sessions.end(request.account.userId, request.params.id, { actor: actorOf(request), isLogout: false });
    return { status: 200, data: null };
  },
});
