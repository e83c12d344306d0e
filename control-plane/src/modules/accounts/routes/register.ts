import { Type } from 'typebox';
import { defineRoute } from '../../../http/route.js';
import { AuthSchema, EmailSchema, NewPasswordSchema } from '../profile/schema.js';
import { authReply } from '../sessions/auth-reply.js';
import { registrationLimit } from './limits.js';
import { signInBy } from './sign-in-by.js';

/** POST /v1/auth/register (API specification 4.4). */
export const register = defineRoute({
  operationId: 'register',
  method: 'POST',
  path: '/v1/auth/register',
  summary: 'Register an account',
  description:
    'Creates an account, signs in, and mails a link that verifies the address. Until the address is verified, the account can only sign in, read, probe and change its profile. Mails are in the language of this request.',
  tag: 'Authentication',
  auth: { kind: 'public' },
  isOpenToUnverified: true,
  limit: registrationLimit,
  body: Type.Object(
    { email: EmailSchema, password: NewPasswordSchema },
    { additionalProperties: false, title: 'Registration' },
  ),
  bodyExample: { email: 'ada@example.com', password: 'correct horse battery staple' },
  replies: { 201: AuthSchema },
  errors: ['VALIDATION_FAILED', 'AUTH_PASSWORD_WEAK', 'ACCOUNT_EMAIL_TAKEN', 'FORBIDDEN'],
  async handle(request, { accounts: { signIn } }) {
    const { tokens, user } = await signIn.register({ ...request.body, ...signInBy(request) }, request.locale);
    return { status: 201, data: authReply(tokens, user) };
  },
});
