import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { personOf } from '../../../http/access.js';
import { defineRoute } from '../../../http/route.js';
import { MAX_PASSKEYS } from '../factors/passkeys.js';
import {
  AuthenticationResponseSchema,
  PasskeyChallengeSchema,
  PasskeyNameSchema,
  PasskeySchema,
  RegistrationResponseSchema,
} from '../factors/schema.js';
import { AuthSchema } from '../profile/schema.js';
import { authReply } from '../sessions/auth-reply.js';
import { signInLimit } from './limits.js';
import { signInBy } from './sign-in-by.js';
import { signInErrors } from './sign-in-errors.js';

const tag = 'Authentication';
const fresh = { kind: 'session', isFresh: true } as const;
const notOffered =
  '422 `not_supported`: passkeys need a public URL with https and a domain name, or http://localhost (`passkey` of `GET /v1/auth/methods`).';
const params = Type.Object({ id: Type.String({ maxLength: 64, examples: ['pk_1CVGs2sCvBk5vA7vPbXH3x'] }) });

const optionsReply = (description: string, example: object) =>
  Type.Object(
    {
      challenge: PasskeyChallengeSchema,
      options: Type.Record(Type.String(), Type.Unknown(), { description, examples: [example] }),
    },
    { additionalProperties: false },
  );

const assertionExample = {
  challenge: 'svc_ch_…',
  response: {
    id: 'Zm9vYmFy',
    rawId: 'Zm9vYmFy',
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: 'eyJ0eXBl',
      authenticatorData: 'SZYN5YgO',
      signature: 'MEUCIQDx',
      userHandle: 'dV8xQ1ZH',
    },
  },
};

export const getPasskeyRegistrationOptions = defineRoute({
  operationId: 'getPasskeyRegistrationOptions',
  method: 'POST',
  path: '/v1/auth/passkey/register/options',
  summary: 'Start to add a passkey',
  description: `Returns what the browser needs to make a passkey that finds the account by itself and verifies its user; \`POST /v1/auth/passkey/register/verify\` stores it within five minutes. An account has at most ${MAX_PASSKEYS} (422). ${notOffered}`,
  tag,
  auth: fresh,
  replies: {
    200: optionsReply(
      'For `PublicKeyCredential.parseCreationOptionsFromJSON()` and `navigator.credentials.create()`.',
      {
        challenge: 'hlBR8Ep3nOvB…',
        rp: { name: 'Vantage', id: 'vantage.example' },
      },
    ),
  },
  errors: ['VALIDATION_FAILED', 'ACCOUNT_NOT_FOUND'],
  async handle({ account }, { accounts: { passkeys } }) {
    const { challenge, options } = await passkeys.startRegistration(personOf(account).id);
    return { status: 200, data: { challenge, options: { ...options } } };
  },
});

export const registerPasskey = defineRoute({
  operationId: 'registerPasskey',
  method: 'POST',
  path: '/v1/auth/passkey/register/verify',
  summary: 'Add a passkey',
  description:
    'Stores the passkey that the browser made, and mails the owner. 400 AUTH_WEBAUTHN_CHALLENGE_INVALID: the challenge is unknown, used, expired or another user’s, or the response is for another site or without verification of the user. 409 CONFLICT: the passkey is stored already.',
  tag,
  auth: { kind: 'session' },
  limit: signInLimit,
  body: Type.Object(
    { challenge: PasskeyChallengeSchema, response: RegistrationResponseSchema, name: PasskeyNameSchema },
    { additionalProperties: false, title: 'PasskeyRegistration' },
  ),
  bodyExample: {
    ...assertionExample,
    response: {
      ...assertionExample.response,
      response: { clientDataJSON: 'eyJ0eXBl', attestationObject: 'o2NmbXRk', transports: ['internal'] },
    },
    name: 'Laptop',
  },
  replies: { 201: PasskeySchema },
  errors: [
    'VALIDATION_FAILED',
    'AUTH_WEBAUTHN_CHALLENGE_INVALID',
    'CONFLICT',
    'ACCOUNT_NOT_FOUND',
    'AUTH_SESSION_INVALID',
  ],
  async handle(request, { accounts: { passkeys } }) {
    const passkey = await passkeys.register(personOf(request.account).id, request.body, actorOf(request));
    return { status: 201, data: passkey };
  },
});

export const getPasskeyLoginOptions = defineRoute({
  operationId: 'getPasskeyLoginOptions',
  method: 'POST',
  path: '/v1/auth/passkey/login/options',
  summary: 'Start to sign in with a passkey',
  description: `Returns what the browser needs to let the person choose a passkey, also for \`POST /v1/auth/step-up\`. ${notOffered}`,
  tag,
  auth: { kind: 'public' },
  isOpenToUnverified: true,
  limit: signInLimit,
  replies: {
    200: optionsReply('For `PublicKeyCredential.parseRequestOptionsFromJSON()` and `navigator.credentials.get()`.', {
      challenge: 'hlBR8Ep3nOvB…',
      rpId: 'vantage.example',
      userVerification: 'required',
    }),
  },
  errors: ['VALIDATION_FAILED'],
  async handle(_request, { accounts: { passkeyCheck } }) {
    const { challenge, options } = await passkeyCheck.start();
    return { status: 200, data: { challenge, options: { ...options } } };
  },
});

export const loginWithPasskey = defineRoute({
  operationId: 'loginWithPasskey',
  method: 'POST',
  path: '/v1/auth/passkey/login/verify',
  summary: 'Sign in with a passkey',
  description:
    'A passkey says who signs in, and counts as two factors. 400 AUTH_WEBAUTHN_CHALLENGE_INVALID: the challenge is unknown, used or expired, the passkey is unknown, the response is for another site or without verification of the user, or the signature counter did not grow; the last, which a copied passkey causes, is also mailed to the owner.',
  tag,
  auth: { kind: 'public' },
  isOpenToUnverified: true,
  limit: signInLimit,
  body: Type.Object(
    { challenge: PasskeyChallengeSchema, response: AuthenticationResponseSchema },
    { additionalProperties: false, title: 'PasskeyLogin' },
  ),
  bodyExample: assertionExample,
  replies: { 200: AuthSchema },
  errors: ['VALIDATION_FAILED', 'AUTH_WEBAUTHN_CHALLENGE_INVALID', ...signInErrors],
  async handle(request, { accounts: { passkeySignIn } }) {
    const { tokens, user } = await passkeySignIn.login(request.body, signInBy(request));
    return { status: 200, data: authReply(tokens, user) };
  },
});

export const renamePasskey = defineRoute({
  operationId: 'renamePasskey',
  method: 'PATCH',
  path: '/v1/account/passkeys/{id}',
  summary: 'Update the name of a passkey',
  tag: 'Account',
  auth: { kind: 'scope', scope: 'account' },
  params,
  body: Type.Object({ name: PasskeyNameSchema }, { additionalProperties: false, title: 'PasskeyChange' }),
  bodyExample: { name: 'Laptop' },
  replies: { 200: PasskeySchema },
  errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
  async handle(request, { accounts: { passkeys } }) {
    const change = { id: request.params.id, name: request.body.name };
    return { status: 200, data: await passkeys.rename(personOf(request.account).id, change, actorOf(request)) };
  },
});

export const deletePasskey = defineRoute({
  operationId: 'deletePasskey',
  method: 'DELETE',
  path: '/v1/account/passkeys/{id}',
  summary: 'Delete a passkey',
  description:
    'Mails the owner. 409 CONFLICT for the last way to sign in: the account has no password, no other passkey, no external account, and no verified address that a code can be mailed to.',
  tag: 'Account',
  auth: fresh,
  params,
  replies: { 200: Type.Null() },
  errors: ['NOT_FOUND', 'CONFLICT', 'ACCOUNT_NOT_FOUND', 'AUTH_SESSION_INVALID'],
  async handle(request, { accounts: { passkeys } }) {
    await passkeys.remove(personOf(request.account).id, request.params.id, actorOf(request));
    return { status: 200, data: null };
  },
});
