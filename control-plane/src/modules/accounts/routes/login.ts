import { Type } from 'typebox';
import { actorOf } from '../../../actor.js';
import { defineRoute } from '../../../http/route.js';
import { authReply } from '../auth-reply.js';
import { clientOf } from '../client-info.js';
import { AuthSchema, EmailSchema, PasswordSchema } from '../schema.js';

/** POST /v1/auth/login (API specification 4.4). */
export const login = defineRoute({
  operationId: 'login',
  method: 'POST',
  path: '/v1/auth/login',
  summary: 'Sign in by password',
  description:
    'The access token is valid 15 minutes, the refresh token gets the next pair. After six wrong passwords in a row for an account, or from an address, the next tries have to wait 1, 2, 4 … at most 60 seconds (429 with Retry-After); nobody is ever locked out.',
  tag: 'Authentication',
  auth: { kind: 'public' },
  limit: 'sign-in',
  body: Type.Object(
    {
      email: EmailSchema,
      password: PasswordSchema,
      otp: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 32,
          description: 'Code of a second factor, where the account has one.',
        }),
      ),
    },
    { additionalProperties: false, title: 'Login' },
  ),
  bodyExample: { email: 'ada@example.com', password: 'correct horse battery staple' },
  replies: { 200: AuthSchema },
  errors: ['VALIDATION_FAILED', 'AUTH_CREDENTIALS_INVALID', 'AUTH_ACCOUNT_DISABLED', 'AUTH_EMAIL_NOT_VERIFIED'],
  async handle(request, { signIn }) {
    const { email, password } = request.body;
    const by = { client: clientOf(request), actor: actorOf(request) };
    const { tokens, user } = await signIn.login({ email, password, ...by });
    return { status: 200, data: authReply(tokens, user) };
  },
});
