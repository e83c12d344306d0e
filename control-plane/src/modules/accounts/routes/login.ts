import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { defineRoute } from '../../../http/route.js';
import { AuthSchema, EmailSchema, PasswordSchema } from '../profile/schema.js';
import { authReply } from '../sessions/auth-reply.js';
import { clientOf } from '../sessions/client-info.js';
import { signInLimit } from './limits.js';

/** POST /v1/auth/login (API specification 4.4). */
export const login = defineRoute({
  operationId: 'login',
  method: 'POST',
  path: '/v1/auth/login',
  summary: 'Sign in with a password',
  description:
    'The access token is valid for 15 minutes; the refresh token gets the next pair. After six wrong passwords in a row from one network, for one or several accounts, further attempts from it must wait 1, 2, 4 … at most 60 seconds (429 with Retry-After). After 101 wrong passwords for one account from networks that it was never signed in from, attempts from such networks must wait 1, 2, 4 … at most 900 seconds. During such a wait every password gets the same 429 with `details`; for the correct one, a link that admits its network is mailed to the verified address of the account (`POST /v1/auth/login/confirm`).',
  tag: 'Authentication',
  auth: { kind: 'public' },
  isOpenToUnverified: true,
  limit: signInLimit,
  body: Type.Object(
    {
      email: EmailSchema,
      password: PasswordSchema,
      otp: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 32,
          description: 'Code of a second factor, if the account has one.',
        }),
      ),
    },
    { additionalProperties: false, title: 'Login' },
  ),
  bodyExample: { email: 'ada@example.com', password: 'correct horse battery staple' },
  replies: { 200: AuthSchema },
  errors: ['VALIDATION_FAILED', 'AUTH_CREDENTIALS_INVALID', 'AUTH_ACCOUNT_DISABLED', 'AUTH_EMAIL_NOT_VERIFIED'],
  async handle(request, { accounts: { signIn } }) {
    const { email, password } = request.body;
    const by = { client: clientOf(request), actor: actorOf(request) };
    const { tokens, user } = await signIn.login({ email, password, ...by });
    return { status: 200, data: authReply(tokens, user) };
  },
});
