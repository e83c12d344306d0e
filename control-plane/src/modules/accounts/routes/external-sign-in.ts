import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { personOf, requireFresh, requireSession } from '../../../http/access.js';
import { fieldError } from '../../../http/errors.js';
import { type Account, defineRoute } from '../../../http/route.js';
import { IdentitySchema } from '../factors/schema.js';
import { AuthSchema } from '../profile/schema.js';
import { type LinkingSession, REQUEST_SECONDS } from '../providers/provider-requests.js';
import { authReply } from '../sessions/auth-reply.js';
import { signInLimit } from './limits.js';
import { signInBy } from './sign-in-by.js';
import { signInErrors } from './sign-in-errors.js';

const tag = 'Authentication';
const params = Type.Object({
  provider: Type.String({ maxLength: 64, description: 'Id of `GET /v1/auth/methods`.', examples: ['github'] }),
});
const ChallengeSchema = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Keep it in the client that started, and show it to no one.',
  examples: ['svc_ch_…'],
});

export const startExternalSignIn = defineRoute({
  operationId: 'startExternalSignIn',
  method: 'POST',
  path: '/v1/auth/oauth/{provider}/start',
  summary: 'Start to sign in with an external provider',
  description:
    'Open `authorization_url` in a browser; the provider sends it back to `redirect_uri` with `state` and `code` (and `iss`), or `error`: send these with the `challenge` to `POST /v1/auth/oauth/{provider}/callback`. With `link: true`, and a session that is fresh, the external account is linked to yours instead.',
  tag,
  auth: { kind: 'public' },
  isOpenToUnverified: true,
  limit: signInLimit,
  params,
  body: Type.Object(
    {
      redirect_uri: Type.Optional(
        Type.String({
          maxLength: 2_048,
          description: 'One of `VANTAGE_OAUTH_REDIRECTS`; default: the sign-in page of this service.',
          examples: ['https://vantage.example/sign-in/oauth/github/callback'],
        }),
      ),
      link: Type.Optional(Type.Boolean({ examples: [false] })),
    },
    { additionalProperties: false, title: 'ExternalSignInStart' },
  ),
  bodyExample: {},
  replies: {
    200: Type.Object(
      {
        authorization_url: Type.String({ examples: ['https://github.com/login/oauth/authorize?…'] }),
        challenge: ChallengeSchema,
        expires_in: Type.Integer({ description: 'Seconds.', examples: [REQUEST_SECONDS] }),
      },
      { additionalProperties: false, title: 'ExternalSignIn' },
    ),
  },
  errors: [
    'NOT_FOUND',
    'UNAVAILABLE',
    'VALIDATION_FAILED',
    'AUTH_REQUIRED',
    'AUTH_2FA_REQUIRED',
    'FORBIDDEN',
    'ACCOUNT_EMAIL_UNVERIFIED',
  ],
  async handle({ account, params: { provider }, body }, { accounts: { externalSignIn } }) {
    const session = body.link === true ? linkingSession(account) : null;
    const started = await externalSignIn.start(provider, { redirectUri: body.redirect_uri, session });
    const { authorizationUrl: authorization_url, challenge } = started;
    return { status: 200, data: { authorization_url, challenge, expires_in: REQUEST_SECONDS } };
  },
});

/** @throws ApiError AUTH_REQUIRED, FORBIDDEN, AUTH_2FA_REQUIRED */
function linkingSession(account: Account | null): LinkingSession {
  const session = requireSession(account);
  requireFresh(session);
  return { userId: personOf(session).id, sessionId: session.credentialId };
}

export const finishExternalSignIn = defineRoute({
  operationId: 'finishExternalSignIn',
  method: 'POST',
  path: '/v1/auth/oauth/{provider}/callback',
  summary: 'Sign in with the response of an external provider',
  description:
    'Takes what the provider added to `redirect_uri`, once, within ten minutes. An external account that is not known makes an account where registration is open, if the provider calls its address verified and no account has it: 409 ACCOUNT_EMAIL_TAKEN asks its owner to sign in and link. After a start with `link` the same session sends this request, and gets the linked account. 403 FORBIDDEN: the person declined, or registration is closed.',
  tag,
  auth: { kind: 'public' },
  isOpenToUnverified: true,
  limit: signInLimit,
  params,
  body: Type.Object(
    {
      challenge: ChallengeSchema,
      state: Type.String({ minLength: 1, maxLength: 200, examples: ['Wd0…'] }),
      code: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096, examples: ['4/0A…'] })),
      iss: Type.Optional(
        Type.String({ maxLength: 2_048, description: 'If the provider sent one.', examples: ['https://id.example'] }),
      ),
      error: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: 'In place of `code`.', examples: ['access_denied'] }),
      ),
    },
    { additionalProperties: false, title: 'ExternalSignInCallback' },
  ),
  bodyExample: { challenge: 'svc_ch_…', code: '4/0A…', state: 'Wd0…' },
  replies: { 200: Type.Union([AuthSchema, IdentitySchema]) },
  errors: [
    'NOT_FOUND',
    'VALIDATION_FAILED',
    'AUTH_OAUTH_STATE_INVALID',
    'AUTH_OAUTH_LINKED_OTHER_USER',
    'ACCOUNT_EMAIL_TAKEN',
    'ACCOUNT_NOT_FOUND',
    'FORBIDDEN',
    'UNAVAILABLE',
    'AUTH_SESSION_INVALID',
    ...signInErrors,
  ],
  async handle(request, { accounts: { externalSignIn } }) {
    const { account, params: path, body, locale } = request;
    if ((body.code === undefined) === (body.error === undefined))
      throw fieldError('code', 'required', 'must be sent, or `error` instead');
    const sessionId = account?.credentialKind === 'session' ? account.credentialId : null;
    const outcome = await externalSignIn.finish(path.provider, body, { ...signInBy(request), sessionId, locale });
    if ('linked' in outcome) return { status: 200, data: outcome.linked };
    const { tokens, user } = outcome.signedIn;
    return { status: 200, data: authReply(tokens, user) };
  },
});

export const unlinkIdentity = defineRoute({
  operationId: 'unlinkIdentity',
  method: 'DELETE',
  path: '/v1/account/identities/{id}',
  summary: 'Unlink an external account',
  description: '409 CONFLICT for the last way to sign in.',
  tag: 'Account',
  auth: { kind: 'session', isFresh: true },
  params: Type.Object({
    id: Type.String({ pattern: idPattern(idPrefixes.identity), examples: ['idn_1CVGs2sCvBk5vA7vPbXH3x'] }),
  }),
  replies: { 200: Type.Null() },
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handle(request, { accounts: { externalSignIn } }) {
    await externalSignIn.unlink(personOf(request.account).id, request.params.id, actorOf(request));
    return { status: 200, data: null };
  },
});
