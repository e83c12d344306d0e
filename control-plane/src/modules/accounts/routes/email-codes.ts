import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { defineRoute } from '../../../http/route.js';
import { EmailCodeSchema, OtpSchema } from '../factors/schema.js';
import { messages } from '../profile/messages.js';
import { AuthSchema, EmailSchema, MessageSchema } from '../profile/schema.js';
import { authReply } from '../sessions/auth-reply.js';
import { signInLimit } from './limits.js';
import { signInBy } from './sign-in-by.js';
import { signInErrors } from './sign-in-errors.js';

const tag = 'Authentication';

export const requestEmailCode = defineRoute({
  operationId: 'requestEmailCode',
  method: 'POST',
  path: '/v1/auth/otp/request',
  summary: 'Request a code by mail',
  description:
    'Mails a code of six digits, valid for ten minutes, if an account with this verified address exists; an earlier code ends. An address gets at most five mails an hour. The response is the same if no account exists; it says so if the installation sends no mail. The code signs in (`POST /v1/auth/otp/login`), and confirms a session of an account that has neither password nor passkey (`POST /v1/auth/step-up`).',
  tag,
  auth: { kind: 'public' },
  isOpenToUnverified: true,
  limit: signInLimit,
  body: Type.Object({ email: EmailSchema }, { additionalProperties: false, title: 'EmailCodeRequest' }),
  bodyExample: { email: 'ada@example.com' },
  replies: { 200: MessageSchema },
  errors: ['VALIDATION_FAILED'],
  async handle(request, { accounts: { emailCodes, sendsMail } }) {
    await emailCodes.request(request.body.email, actorOf(request));
    const message = sendsMail ? messages.codeRequested : messages.codeNotSent;
    return { status: 200, data: { message: message[request.locale] } };
  },
});

export const loginWithEmailCode = defineRoute({
  operationId: 'loginWithEmailCode',
  method: 'POST',
  path: '/v1/auth/otp/login',
  summary: 'Sign in with a mailed code',
  description:
    'The code works once. Five codes are compared for an address within ten minutes, whether it has an account or not; further ones get 429 AUTH_OTP_ATTEMPTS_EXCEEDED. Wrong codes are also slowed down like wrong passwords. An account with a second factor needs its code as `otp`, or gets 401 AUTH_2FA_REQUIRED as with `POST /v1/auth/login`. The code proves the address: if no one has yet proven to own both the address and the password of the account, all its sessions, keys and tokens are revoked first, the password is removed, and a mail lists them.',
  tag,
  auth: { kind: 'public' },
  isOpenToUnverified: true,
  limit: signInLimit,
  body: Type.Object(
    { email: EmailSchema, code: EmailCodeSchema, otp: Type.Optional(OtpSchema) },
    { additionalProperties: false, title: 'EmailCodeLogin' },
  ),
  bodyExample: { email: 'ada@example.com', code: '492039' },
  replies: { 200: AuthSchema },
  errors: ['VALIDATION_FAILED', 'AUTH_OTP_INVALID', 'AUTH_OTP_EXPIRED', 'AUTH_OTP_ATTEMPTS_EXCEEDED', ...signInErrors],
  async handle(request, { accounts: { emailCodeSignIn } }) {
    const { tokens, user } = await emailCodeSignIn.login({ ...request.body, ...signInBy(request) });
    return { status: 200, data: authReply(tokens, user) };
  },
});
