import { Type } from 'typebox';
import { actorOf } from '../../../actor.js';
import { defineRoute } from '../../../http/route.js';
import { scopes } from '../../../http/scopes.js';
import { messages } from '../messages.js';
import { EmailSchema, MailedTokenSchema, MessageSchema, NewPasswordSchema, PasswordSchema } from '../schema.js';

const tag = 'Authentication';

/** POST /v1/auth/password/forgot. */
export const forgotPassword = defineRoute({
  operationId: 'forgotPassword',
  method: 'POST',
  path: '/v1/auth/password/forgot',
  summary: 'Ask for a new password',
  description: 'Mails a link, valid 30 minutes, if there is an account with this address; the answer does not tell.',
  tag,
  auth: { kind: 'public' },
  limit: 'sign-in',
  body: Type.Object({ email: EmailSchema }, { additionalProperties: false, title: 'PasswordForgotten' }),
  bodyExample: { email: 'ada@example.com' },
  replies: { 200: MessageSchema },
  errors: ['VALIDATION_FAILED'],
  async handle(request, { recovery }) {
    await recovery.requestReset(request.body.email, actorOf(request));
    return { status: 200, data: { message: messages.resetRequested[request.locale] } };
  },
});

/** POST /v1/auth/password/reset. */
export const resetPassword = defineRoute({
  operationId: 'resetPassword',
  method: 'POST',
  path: '/v1/auth/password/reset',
  summary: 'Set a new password by a mailed token',
  description: 'Ends every session of the account. A password that is refused leaves the token valid.',
  tag,
  auth: { kind: 'public' },
  limit: 'sign-in',
  body: Type.Object(
    { token: MailedTokenSchema, password: NewPasswordSchema },
    { additionalProperties: false, title: 'PasswordReset' },
  ),
  bodyExample: { token: 'svc_ch_…', password: 'correct horse battery staple' },
  replies: { 200: MessageSchema },
  errors: [
    'AUTH_OTP_INVALID',
    'AUTH_OTP_EXPIRED',
    'AUTH_PASSWORD_WEAK',
    'AUTH_PASSWORD_REUSED',
    'AUTH_ACCOUNT_DISABLED',
  ],
  async handle(request, { recovery }) {
    await recovery.resetPassword(request.body, actorOf(request));
    return { status: 200, data: { message: messages.passwordChanged[request.locale] } };
  },
});

/** POST /v1/auth/password/change. */
export const changePassword = defineRoute({
  operationId: 'changePassword',
  method: 'POST',
  path: '/v1/auth/password/change',
  summary: 'Change your password',
  description:
    'The session this is asked by goes on, all others end. An account without a password (made by the operator) gets its first one without current_password, by credentials with every scope.',
  tag,
  auth: { kind: 'scope', scope: 'account' },
  limit: 'sign-in',
  body: Type.Object(
    { current_password: Type.Optional(PasswordSchema), new_password: NewPasswordSchema },
    { additionalProperties: false, title: 'PasswordChange' },
  ),
  bodyExample: { current_password: 'correct horse battery staple', new_password: 'another horse battery staple' },
  replies: { 200: MessageSchema },
  errors: [
    'VALIDATION_FAILED',
    'AUTH_CREDENTIALS_INVALID',
    'AUTH_PASSWORD_WEAK',
    'AUTH_PASSWORD_REUSED',
    'ACCOUNT_NOT_FOUND',
  ],
  async handle(request, { signIn }) {
    const { account, body, locale } = request;
    const keepSession = account.credentialKind === 'session' ? account.credentialId : null;
    const passwords = { current: body.current_password ?? null, next: body.new_password };
    const hasAllScopes = scopes.every((scope) => account.scopes.has(scope));
    await signIn.changePassword(account.userId, passwords, { actor: actorOf(request), keepSession, hasAllScopes });
    return { status: 200, data: { message: messages.passwordChanged[locale] } };
  },
});
