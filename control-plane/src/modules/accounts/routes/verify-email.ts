import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { personOf } from '../../../http/access.js';
import { fieldError } from '../../../http/errors.js';
import { defineRoute } from '../../../http/route.js';
import { messages } from '../profile/messages.js';
import { MailedTokenSchema, MessageSchema, NewPasswordSchema, PasswordSchema } from '../profile/schema.js';
import { signInLimit } from './limits.js';

export const verifyEmail = defineRoute({
  operationId: 'verifyEmail',
  method: 'POST',
  path: '/v1/auth/verify-email',
  summary: 'Verify your e-mail address',
  description:
    'Takes the token that was mailed to the address, valid for 24 hours. It works once: a second use, also by a concurrent request, is refused with AUTH_OTP_INVALID. ' +
    'In a session of the account itself, or with its `password`, nothing is revoked: the person who registered reads the mail. ' +
    'With a `new_password` instead, that password is set, as by a reset. ' +
    'With none of these, the password stays as it is. In the last two cases someone else may have registered the address: all sessions, API keys, personal access tokens, unused enrollment tokens and nodes of the account are revoked, and a mail lists what was revoked and what still gives access to the account. ' +
    'A wrong `password` is refused, with the same waits as at sign-in. A refused request leaves the token valid.',
  tag: 'Authentication',
  auth: { kind: 'public' },
  isOpenToUnverified: true,
  limit: signInLimit,
  body: Type.Object(
    {
      token: MailedTokenSchema,
      password: Type.Optional(PasswordSchema),
      new_password: Type.Optional(NewPasswordSchema),
    },
    { additionalProperties: false, title: 'EmailVerification' },
  ),
  bodyExample: { token: 'svc_ch_…', password: 'correct horse battery staple' },
  replies: { 200: MessageSchema },
  errors: [
    'VALIDATION_FAILED',
    'AUTH_CREDENTIALS_INVALID',
    'AUTH_OTP_INVALID',
    'AUTH_OTP_EXPIRED',
    'AUTH_PASSWORD_WEAK',
    'AUTH_PASSWORD_REUSED',
    'AUTH_ACCOUNT_DISABLED',
  ],
  async handle(request, { accounts: { recovery, signIn } }) {
    const { account, locale } = request;
    const { token, password, new_password: newPassword } = request.body;
    const actor = actorOf(request);
    if (newPassword !== undefined) {
      if (password !== undefined) throw fieldError('new_password', 'conflict', 'must be absent if password is sent');
      await recovery.verifyWithNewPassword({ token, password: newPassword }, actor);
      return { status: 200, data: { message: messages.emailVerifiedWithPassword[locale] } };
    }
    const sessionOf = account?.credentialKind === 'session' ? (account.user?.id ?? null) : null;
    if (password === undefined) await recovery.verifyEmail(token, actor, sessionOf);
    else await signIn.verifyEmail({ token, password }, actor);
    return { status: 200, data: { message: messages.emailVerified[locale] } };
  },
});

export const resendVerification = defineRoute({
  operationId: 'resendVerification',
  method: 'POST',
  path: '/v1/auth/verify-email/resend',
  summary: 'Send the verification mail again',
  description:
    'At most five mails an hour are sent; further requests get the same response, and no mail is sent. It says so if the installation sends no mail. 409 if the address is verified.',
  tag: 'Authentication',
  auth: { kind: 'scope', scope: 'account' },
  isOpenToUnverified: true,
  replies: { 200: MessageSchema },
  errors: ['CONFLICT', 'ACCOUNT_NOT_FOUND'],
  async handle({ account, locale }, { accounts: { recovery, sendsMail } }) {
    await recovery.resendVerification(personOf(account).id);
    const message = sendsMail ? messages.verificationSent : messages.verificationNotSent;
    return { status: 200, data: { message: message[locale] } };
  },
});
