import { Type } from 'typebox';
import { actorOf } from '../../../actor.js';
import { defineRoute } from '../../../http/route.js';
import { authReply } from '../auth-reply.js';
import { clientOf } from '../client-info.js';
import { AuthSchema, EmailSchema, NewPasswordSchema } from '../schema.js';

/** POST /v1/auth/register (API specification 4.4). */
export const register = defineRoute({
  operationId: 'register',
  method: 'POST',
  path: '/v1/auth/register',
  summary: 'Make an account',
  description:
    'Signs in at once, and mails a link that verifies the address; until then monitors, channels, webhooks and enrollment tokens cannot be made. Mails come in the language of this request.',
  tag: 'Authentication',
  auth: { kind: 'public' },
  limit: 'registration',
  body: Type.Object(
    { email: EmailSchema, password: NewPasswordSchema },
    { additionalProperties: false, title: 'Registration' },
  ),
  bodyExample: { email: 'ada@example.com', password: 'correct horse battery staple' },
  replies: { 201: AuthSchema },
  errors: ['VALIDATION_FAILED', 'AUTH_PASSWORD_WEAK', 'ACCOUNT_EMAIL_TAKEN', 'FORBIDDEN'],
  async handle(request, { signIn }) {
    const { email, password } = request.body;
    const by = { client: clientOf(request), actor: actorOf(request) };
    const { tokens, user } = await signIn.register({ email, password, ...by }, request.locale);
    return { status: 201, data: authReply(tokens, user) };
  },
});
