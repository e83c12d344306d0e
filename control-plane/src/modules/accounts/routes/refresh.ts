import { Type } from 'typebox';
import { actorOf } from '../../../actor.js';
import { defineRoute } from '../../../http/route.js';
import { authReply } from '../auth-reply.js';
import { AuthSchema } from '../schema.js';

/** POST /v1/auth/refresh. */
export const refresh = defineRoute({
  operationId: 'refresh',
  method: 'POST',
  path: '/v1/auth/refresh',
  summary: 'Get new tokens',
  description:
    'Uses the refresh token up. If the answer was lost, sending the same token again within 10 seconds gets another pair; later, or after its successor was used, it ends the whole session, for then somebody else has it too.',
  tag: 'Authentication',
  auth: { kind: 'public' },
  body: Type.Object(
    { refresh_token: Type.String({ minLength: 1, maxLength: 200, examples: ['svc_rt_…'] }) },
    { additionalProperties: false, title: 'Refresh' },
  ),
  bodyExample: { refresh_token: 'svc_rt_…' },
  replies: { 200: AuthSchema },
  errors: ['AUTH_SESSION_INVALID', 'AUTH_ACCOUNT_DISABLED', 'ACCOUNT_DELETED', 'AUTH_EMAIL_NOT_VERIFIED'],
  async handle(request, { accounts, sessions }) {
    const tokens = await sessions.refresh(request.body.refresh_token, actorOf(request));
    return { status: 200, data: authReply(tokens, await accounts.getProfile(tokens.userId)) };
  },
});
