import { Type } from 'typebox';
import { actorOf } from '../../../actor.js';
import { defineRoute } from '../../../http/route.js';
import { ProfileChangeSchema, ProfileSchema } from '../schema.js';

const tag = 'Account';
const auth = { kind: 'scope', scope: 'account' } as const;

/** GET /v1/account/profile (API specification 4.4). */
export const getProfile = defineRoute({
  operationId: 'getProfile',
  method: 'GET',
  path: '/v1/account/profile',
  summary: 'Read your profile',
  tag,
  auth,
  replies: { 200: ProfileSchema },
  errors: ['ACCOUNT_NOT_FOUND'],
  async handle({ account }, { accounts }) {
    return { status: 200, data: await accounts.getProfile(account.userId) };
  },
});

/** PATCH /v1/account/profile (API specification 4.4). */
export const changeProfile = defineRoute({
  operationId: 'changeProfile',
  method: 'PATCH',
  path: '/v1/account/profile',
  summary: 'Change your profile',
  description: 'A field that is left out stays as it is. Answers the whole profile.',
  tag,
  auth,
  body: ProfileChangeSchema,
  bodyExample: { display_name: 'Ada', locale: 'en', timezone: 'Europe/Berlin', theme: 'dark' },
  replies: { 200: ProfileSchema },
  errors: ['VALIDATION_FAILED', 'ACCOUNT_LOCALE_UNSUPPORTED', 'ACCOUNT_TIMEZONE_INVALID', 'ACCOUNT_NOT_FOUND'],
  async handle(request, { accounts }) {
    const { account, body } = request;
    return { status: 200, data: await accounts.changeProfile(account.userId, body, actorOf(request)) };
  },
});

/** DELETE /v1/account. */
export const deleteAccount = defineRoute({
  operationId: 'deleteAccount',
  method: 'DELETE',
  path: '/v1/account',
  summary: 'Delete your account',
  description:
    'For good, and at once: what is known of the person is erased, sessions, keys and tokens open nothing any more (403 ACCOUNT_DELETED), its nodes are deleted, the address is free again. The only administrator cannot leave: 409.',
  tag,
  auth,
  replies: { 200: Type.Null() },
  errors: ['CONFLICT', 'ACCOUNT_NOT_FOUND'],
  async handle(request, { accounts }) {
    await accounts.delete(request.account.userId, actorOf(request));
    return { status: 200, data: null };
  },
});
