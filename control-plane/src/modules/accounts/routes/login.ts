import { Type } from 'typebox';
import { defineRoute } from '../../../http/route.js';
import { OtpSchema } from '../factors/schema.js';
import { AuthSchema, EmailSchema, PasswordSchema } from '../profile/schema.js';
import { authReply } from '../sessions/auth-reply.js';
import { signInLimit } from './limits.js';
import { signInBy } from './sign-in-by.js';
import { signInErrors } from './sign-in-errors.js';

/** POST /v1/auth/login (API specification 4.4). */
export const login = defineRoute({
  operationId: 'login',
  method: 'POST',
  path: '/v1/auth/login',
  summary: 'Sign in with a password',
  description:
    'The access token is valid for 15 minutes; the refresh token gets the next pair. An account with a second factor needs its code as `otp`, or gets 401 AUTH_2FA_REQUIRED, whose `error.meta` has a `challenge` for `POST /v1/auth/2fa/verify`. After six wrong passwords in a row from one network, for one or several accounts, further attempts from it must wait 1, 2, 4 … at most 60 seconds (429 with Retry-After). After 101 wrong passwords for one account from networks that it was never signed in from, attempts from such networks must wait 1, 2, 4 … at most 900 seconds. During such a wait every password gets the same 429 with `details`; for the correct one, a link that admits its network is mailed to the verified address of the account (`POST /v1/auth/login/confirm`).',
  tag: 'Authentication',
  auth: { kind: 'public' },
  isOpenToUnverified: true,
  limit: signInLimit,
  body: Type.Object(
    {
      email: EmailSchema,
      password: PasswordSchema,
      otp: Type.Optional(OtpSchema),
    },
    { additionalProperties: false, title: 'Login' },
  ),
  bodyExample: { email: 'ada@example.com', password: 'correct horse battery staple' },
  replies: { 200: AuthSchema },
  errors: ['VALIDATION_FAILED', 'AUTH_CREDENTIALS_INVALID', ...signInErrors],
  async handle(request, { accounts: { signIn } }) {
    const { tokens, user } = await signIn.login({ ...request.body, ...signInBy(request) });
    return { status: 200, data: authReply(tokens, user) };
  },
});
