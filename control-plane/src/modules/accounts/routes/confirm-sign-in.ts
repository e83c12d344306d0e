import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import type { Locale } from '../../../http/locale.js';
import { defineRoute } from '../../../http/route.js';
import { MailedTokenSchema, MessageSchema } from '../profile/schema.js';
import { signInLimit } from './limits.js';

const confirmed: Readonly<Record<Locale, string>> = {
  en: 'Confirmed. Sign in again where you tried before.',
  'zh-CN': '已确认。请回到刚才登录的地方重新登录。',
  'zh-TW': '已確認。請回到剛才登入的地方重新登入。',
};

export const confirmSignIn = defineRoute({
  operationId: 'confirmSignIn',
  method: 'POST',
  path: '/v1/auth/login/confirm',
  summary: 'Confirm a sign-in with a mailed token',
  description:
    'Takes the token of the mail that is sent for a correct password while too many wrong ones are tried for the account from many networks. The token is valid for 30 minutes and works once. The network that the password came from may then sign in to the account for a day, whatever others try. The operation itself does not sign in.',
  tag: 'Authentication',
  auth: { kind: 'public' },
  isOpenToUnverified: true,
  limit: signInLimit,
  body: Type.Object({ token: MailedTokenSchema }, { additionalProperties: false, title: 'SignInConfirmation' }),
  bodyExample: { token: 'svc_ch_…' },
  replies: { 200: MessageSchema },
  errors: ['AUTH_OTP_INVALID', 'AUTH_OTP_EXPIRED', 'AUTH_ACCOUNT_DISABLED'],
  async handle(request, { accounts: { signInConfirmation } }) {
    await signInConfirmation.confirm(request.body.token, actorOf(request));
    return { status: 200, data: { message: confirmed[request.locale] } };
  },
});
