import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { personOf } from '../../../http/access.js';
import { defineRoute } from '../../../http/route.js';
import { PasswordSchema, ProfileChangeSchema, ProfileSchema } from '../profile/schema.js';
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
    'Deletes the account permanently and at once: personal data is erased, sessions, keys and tokens are refused (403 ACCOUNT_DELETED), nodes are deleted, and the address can be registered again. Requires the password of the account, or a session that was opened (not refreshed) in the last ten minutes; otherwise 403 with `details`. A password in the request is always checked, with the same waits after wrong ones as at sign-in. The only administrator cannot be deleted: 409.',
  tag,
  auth,
  isOpenToUnverified: true,
  limit: signInLimit,
  body: Type.Object(
    { password: Type.Optional(PasswordSchema) },
    { additionalProperties: false, title: 'AccountDeletion' },
  ),
  bodyExample: { password: 'correct horse battery staple' },
  replies: { 200: Type.Null() },
  errors: ['CONFLICT', 'AUTH_CREDENTIALS_INVALID', 'ACCOUNT_NOT_FOUND'],
  async handle(request, { accounts: { deletion } }) {
    const { account, body } = request;
    const sessionId = account.credentialKind === 'session' ? account.credentialId : null;
    await deletion.delete(personOf(account).id, { password: body.password ?? null, sessionId }, actorOf(request));
    return { status: 200, data: null };
  },
});
