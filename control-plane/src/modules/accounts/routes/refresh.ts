import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { defineRoute } from '../../../http/route.js';
import { AuthSchema } from '../profile/schema.js';
import { authReply } from '../sessions/auth-reply.js';

export const refresh = defineRoute({
  operationId: 'refresh',
  method: 'POST',
  path: '/v1/auth/refresh',
  summary: 'Refresh your tokens',
  description:
    'Returns a new pair of tokens and uses up the refresh token. If the response was lost, the same token gets another pair within 10 seconds. Later, or after its successor was used, it ends the whole session, since someone else may have the token.',
  tag: 'Authentication',
  auth: { kind: 'public' },
  isOpenToUnverified: true,
  body: Type.Object(
    { refresh_token: Type.String({ minLength: 1, maxLength: 200, examples: ['svc_rt_…'] }) },
    { additionalProperties: false, title: 'Refresh' },
  ),
  bodyExample: { refresh_token: 'svc_rt_…' },
  replies: { 200: AuthSchema },
  errors: ['AUTH_SESSION_INVALID', 'AUTH_ACCOUNT_DISABLED', 'ACCOUNT_DELETED', 'AUTH_EMAIL_NOT_VERIFIED'],
  async handle(request, { accounts: { sessions, users } }) {
    const tokens = await sessions.refresh(request.body.refresh_token, actorOf(request));
    return { status: 200, data: authReply(tokens, await users.getProfile(tokens.userId)) };
  },
});
