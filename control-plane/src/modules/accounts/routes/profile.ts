import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { personOf } from '../../../http/access.js';
import { defineRoute } from '../../../http/route.js';
import { exportHeaders } from '../account-export.js';
import { FactorsSchema } from '../factors/schema.js';
import { messages } from '../profile/messages.js';
import {
  MailedTokenSchema,
  MessageSchema,
  PasswordSchema,
  ProfileChangeSchema,
  ProfileSchema,
  SessionSchema,
} from '../profile/schema.js';
import { signInLimit } from './limits.js';

const tag = 'Account';
const auth = { kind: 'scope', scope: 'account' } as const;

/** GET /v1/account/profile (API specification 4.4). */
export const getProfile = defineRoute({
  operationId: 'getProfile',
  method: 'GET',
  path: '/v1/account/profile',
  summary: 'Get your profile',
  tag,
  auth,
  replies: { 200: ProfileSchema },
  errors: ['ACCOUNT_NOT_FOUND'],
  async handle({ account }, { accounts: { users } }) {
    return { status: 200, data: await users.getProfile(personOf(account).id) };
  },
});

/** PATCH /v1/account/profile (API specification 4.4). */
export const changeProfile = defineRoute({
  operationId: 'changeProfile',
  method: 'PATCH',
  path: '/v1/account/profile',
  summary: 'Update your profile',
  description: 'Absent fields keep their values. Returns the whole profile.',
  tag,
  auth,
  isOpenToUnverified: true,
  body: ProfileChangeSchema,
  bodyExample: { display_name: 'Ada', locale: 'en', timezone: 'Europe/Berlin', theme: 'dark' },
  replies: { 200: ProfileSchema },
  errors: ['VALIDATION_FAILED', 'ACCOUNT_LOCALE_UNSUPPORTED', 'ACCOUNT_TIMEZONE_INVALID', 'ACCOUNT_NOT_FOUND'],
  async handle(request, { accounts: { users } }) {
    const { account, body } = request;
    return { status: 200, data: await users.changeProfile(personOf(account).id, body, actorOf(request)) };
  },
});

export const deleteAccount = defineRoute({
  operationId: 'deleteAccount',
  method: 'DELETE',
  path: '/v1/account',
  summary: 'Delete your account',
  description:
    'Ends all access at once, and erases the account in 14 days; a mail has a link that restores it until then (`POST /v1/auth/restore`). Meanwhile nobody can sign in (403 ACCOUNT_DELETED), keys and tokens get 403 AUTH_ACCOUNT_DISABLED, monitors are paused, nodes are drained, and the address stays taken. Then personal data is erased, nodes are deleted, and the address can be registered again; an account whose address is not verified is erased at once. Takes a session that is fresh (see `POST /v1/auth/step-up`), or without a second factor the `password` instead, with the same waits after wrong ones as at sign-in. The only administrator cannot be deleted: 409.',
  tag,
  auth: { kind: 'session' },
  isOpenToUnverified: true,
  limit: signInLimit,
  body: Type.Object(
    { password: Type.Optional(PasswordSchema) },
    { additionalProperties: false, title: 'AccountDeletion' },
  ),
  bodyExample: { password: 'correct horse battery staple' },
  replies: { 200: Type.Null() },
  errors: ['CONFLICT', 'AUTH_CREDENTIALS_INVALID', 'AUTH_2FA_REQUIRED', 'ACCOUNT_NOT_FOUND'],
  async handle(request, { accounts: { deletion } }) {
    const { account, body } = request;
    const { freshness } = account;
    if (freshness === null) throw new TypeError('a session has a freshness');
    await deletion.delete(personOf(account).id, { password: body.password ?? null, freshness }, actorOf(request));
    return { status: 200, data: null };
  },
});

export const exportAccount = defineRoute({
  operationId: 'exportAccount',
  method: 'GET',
  path: '/v1/account/export',
  summary: 'Export your account',
  description:
    'A file with all that is stored about the account, at most 10000 entries of each kind: profile, factors, sessions, keys and tokens, audit log, and the configuration of monitors, alerts, webhooks and nodes, as their operations show it. Without secrets and measurements. `data.monitors` can be imported again. Five a day.',
  tag,
  auth: { kind: 'session', isFresh: true },
  replies: {
    200: Type.Object(
      {
        exported_at: Type.String({ format: 'date-time', examples: ['2026-03-01T12:00:00.000Z'] }),
        profile: ProfileSchema,
        factors: FactorsSchema,
        sessions: Type.Array(SessionSchema),
      },
      { additionalProperties: true, title: 'AccountExport' },
    ),
  },
  errors: ['ACCOUNT_NOT_FOUND'],
  async handle({ account }, { accounts: { accountExport } }) {
    const data = await accountExport.read(personOf(account).id, account.credentialId);
    return { status: 200, data, headers: exportHeaders };
  },
});

export const restoreAccount = defineRoute({
  operationId: 'restoreAccount',
  method: 'POST',
  path: '/v1/auth/restore',
  summary: 'Restore your deleted account',
  description:
    'Takes the token of the mail about the deletion, valid for 14 days. Keys, tokens, monitors and nodes work again as before; sessions stay ended, so sign in.',
  tag: 'Authentication',
  auth: { kind: 'public' },
  isOpenToUnverified: true,
  limit: signInLimit,
  body: Type.Object({ token: MailedTokenSchema }, { additionalProperties: false, title: 'AccountRestoration' }),
  bodyExample: { token: 'svc_ch_…' },
  replies: { 200: MessageSchema },
  errors: ['AUTH_OTP_INVALID', 'AUTH_OTP_EXPIRED'],
  async handle(request, { accounts: { deletion } }) {
    await deletion.restore(request.body.token, actorOf(request));
    return { status: 200, data: { message: messages.accountRestored[request.locale] } };
  },
});
