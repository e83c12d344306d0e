import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { personOf } from '../../../http/access.js';
import { defineRoute } from '../../../http/route.js';
import { messages } from '../profile/messages.js';
import { EmailSchema, MailedTokenSchema, MessageSchema, PasswordSchema } from '../profile/schema.js';
import { signInLimit } from './limits.js';

const tag = 'Account';

export const changeEmail = defineRoute({
  operationId: 'changeEmail',
  method: 'POST',
  path: '/v1/account/email',
  summary: 'Change your e-mail address',
  description:
    'Mails a link, valid for 24 hours, to the new address; the account keeps its address until the link is confirmed. At most five mails an hour go to an address. An address that is not verified is replaced at once, and its sessions end except the one of the request.',
  tag,
  auth: { kind: 'session', isFresh: true },
  isOpenToUnverified: true,
  limit: signInLimit,
  body: Type.Object({ email: EmailSchema }, { additionalProperties: false, title: 'EmailChange' }),
  bodyExample: { email: 'ada@example.org' },
  replies: { 200: MessageSchema },
  errors: ['VALIDATION_FAILED', 'ACCOUNT_EMAIL_TAKEN', 'ACCOUNT_NOT_FOUND'],
  async handle(request, { accounts: { emailChange, sendsMail } }) {
    const { account, body, locale } = request;
    const by = { actor: actorOf(request), sessionId: account.credentialId };
    await emailChange.request(personOf(account).id, body.email, by);
    const message = sendsMail ? messages.verificationSent : messages.verificationNotSent;
    return { status: 200, data: { message: message[locale] } };
  },
});

export const confirmEmail = defineRoute({
  operationId: 'confirmEmail',
  method: 'POST',
  path: '/v1/account/email/confirm',
  summary: 'Confirm your new e-mail address',
  description:
    'Takes the token that was mailed to the new address. Other sessions and links that were mailed to the old address end; the old address gets a notice. Send it in a session of the account, or with its `password`: without them a later reset of the password also revokes the nodes of the account, since its owner and the reader of the address may be two persons.',
  tag,
  auth: { kind: 'public' },
  isOpenToUnverified: true,
  limit: signInLimit,
  body: Type.Object(
    { token: MailedTokenSchema, password: Type.Optional(PasswordSchema) },
    { additionalProperties: false, title: 'EmailConfirmation' },
  ),
  bodyExample: { token: 'svc_ch_…', password: 'correct horse battery staple' },
  replies: { 200: MessageSchema },
  errors: [
    'ACCOUNT_EMAIL_TAKEN',
    'AUTH_OTP_INVALID',
    'AUTH_OTP_EXPIRED',
    'AUTH_CREDENTIALS_INVALID',
    'AUTH_ACCOUNT_DISABLED',
  ],
  async handle(request, { accounts: { emailChange } }) {
    const { account, body, locale } = request;
    const isSession = account?.credentialKind === 'session' && account.user !== null;
    const session = isSession ? { userId: account.user.id, sessionId: account.credentialId } : null;
    await emailChange.confirm(body, { actor: actorOf(request), session });
    return { status: 200, data: { message: messages.emailChanged[locale] } };
  },
});
