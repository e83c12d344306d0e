import { Type } from 'typebox';
import { actorOf } from '../../../actor.js';
import { defineRoute } from '../../../http/route.js';
import { messages } from '../messages.js';
import { MailedTokenSchema, MessageSchema } from '../schema.js';

/** POST /v1/auth/verify-email. */
export const verifyEmail = defineRoute({
  operationId: 'verifyEmail',
  method: 'POST',
  path: '/v1/auth/verify-email',
  summary: 'Verify your e-mail address',
  description:
    'By the token that was mailed to it, valid 24 hours. Once more changes nothing and is answered the same.',
  tag: 'Authentication',
  auth: { kind: 'public' },
  limit: 'sign-in',
  body: Type.Object({ token: MailedTokenSchema }, { additionalProperties: false, title: 'EmailVerification' }),
  bodyExample: { token: 'svc_ch_…' },
  replies: { 200: MessageSchema },
  errors: ['AUTH_OTP_INVALID', 'AUTH_OTP_EXPIRED'],
  async handle(request, { recovery }) {
    await recovery.verifyEmail(request.body.token, actorOf(request));
    return { status: 200, data: { message: messages.emailVerified[request.locale] } };
  },
});

/** POST /v1/auth/verify-email/resend. */
export const resendVerification = defineRoute({
  operationId: 'resendVerification',
  method: 'POST',
  path: '/v1/auth/verify-email/resend',
  summary: 'Have the verification mail sent again',
  description:
    'At most five mails an hour are sent; a sixth is answered the same and not sent. 409 when the address is verified.',
  tag: 'Authentication',
  auth: { kind: 'scope', scope: 'account' },
  replies: { 200: MessageSchema },
  errors: ['CONFLICT', 'ACCOUNT_NOT_FOUND'],
  async handle({ account, locale }, { recovery }) {
    await recovery.resendVerification(account.userId);
    return { status: 200, data: { message: messages.verificationSent[locale] } };
  },
});
