import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { opensEverything, personOf } from '../../../http/access.js';
import { defineRoute } from '../../../http/route.js';
import { messages } from '../profile/messages.js';
import { EmailSchema, MailedTokenSchema, MessageSchema, NewPasswordSchema, PasswordSchema } from '../profile/schema.js';
import { signInLimit } from './limits.js';

const tag = 'Authentication';

export const forgotPassword = defineRoute({
  operationId: 'forgotPassword',
  method: 'POST',
  path: '/v1/auth/password/forgot',
  summary: 'Request a new password',
  description:
    'Mails a link, valid for 30 minutes, if an account with this address exists. The response is the same if none exists; it says so if the installation sends no mail.',
  tag,
  auth: { kind: 'public' },
  isOpenToUnverified: true,
  limit: signInLimit,
  body: Type.Object({ email: EmailSchema }, { additionalProperties: false, title: 'PasswordForgotten' }),
  bodyExample: { email: 'ada@example.com' },
  replies: { 200: MessageSchema },
  errors: ['VALIDATION_FAILED'],
  async handle(request, { accounts: { recovery, sendsMail } }) {
    await recovery.requestReset(request.body.email, actorOf(request));
    const message = sendsMail ? messages.resetRequested : messages.resetNotSent;
    return { status: 200, data: { message: message[request.locale] } };
  },
});

export const resetPassword = defineRoute({
  operationId: 'resetPassword',
  method: 'POST',
  path: '/v1/auth/password/reset',
  summary: 'Set a new password with a mailed token',
  description:
    'Revokes all sessions, API keys, personal access tokens and unused enrollment tokens of the account, and also its nodes unless one person is known to have both the address and the password (see POST /v1/auth/verify-email). A mail lists what was revoked and what still gives access to the account. If the password is refused, the token stays valid.',
  tag,
  auth: { kind: 'public' },
  isOpenToUnverified: true,
  limit: signInLimit,
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
  async handle(request, { accounts: { recovery } }) {
    await recovery.resetPassword(request.body, actorOf(request));
    return { status: 200, data: { message: messages.passwordChanged[request.locale] } };
  },
});

export const changePassword = defineRoute({
  operationId: 'changePassword',
  method: 'POST',
  path: '/v1/auth/password/change',
  summary: 'Change your password',
  description:
    'Ends all sessions except the one of the request. An account without a password (created by the operator) gets its first one without `current_password`, with credentials that have all scopes. Where the account has a second factor, it takes the access token of a login whose session is fresh (see `POST /v1/auth/step-up`).',
  tag,
  auth: { kind: 'scope', scope: 'account' },
  isOpenToUnverified: true,
  limit: signInLimit,
  body: Type.Object(
    { current_password: Type.Optional(PasswordSchema), new_password: NewPasswordSchema },
    { additionalProperties: false, title: 'PasswordChange' },
  ),
  bodyExample: { current_password: 'correct horse battery staple', new_password: 'another horse battery staple' },
  replies: { 200: MessageSchema },
  errors: [
    'VALIDATION_FAILED',
    'AUTH_CREDENTIALS_INVALID',
    'AUTH_2FA_REQUIRED',
    'AUTH_PASSWORD_WEAK',
    'AUTH_PASSWORD_REUSED',
    'ACCOUNT_NOT_FOUND',
  ],
  async handle(request, { accounts: { signIn, secondFactor } }) {
    const { account, body, locale } = request;
    await secondFactor.requireFresh(account);
    const keepSession = account.credentialKind === 'session' ? account.credentialId : null;
    const passwords = { current: body.current_password ?? null, next: body.new_password };
    const hasAllScopes = opensEverything(account);
    await signIn.changePassword(personOf(account).id, passwords, {
      actor: actorOf(request),
      keepSession,
      hasAllScopes,
    });
    return { status: 200, data: { message: messages.passwordChanged[locale] } };
  },
});
