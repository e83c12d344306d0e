import { type Static, Type } from 'typebox';
import { renderSVG } from 'uqr';
import { actorOf } from '../../../audit-log/actor.js';
import { personOf } from '../../../http/access.js';
import { fieldError } from '../../../http/errors.js';
import { defineRoute } from '../../../http/route.js';
import {
  AuthenticationResponseSchema,
  EmailCodeSchema,
  FactorsSchema,
  OtpSchema,
  PasskeyChallengeSchema,
  RecoveryCodesSchema,
} from '../factors/schema.js';
import { SETUP_LIFE_MS } from '../factors/second-factor.js';
import type { StepUpProof } from '../factors/step-up.js';
import { AuthSchema, PasswordSchema } from '../profile/schema.js';
import { authReply } from '../sessions/auth-reply.js';
import { signInLimit } from './limits.js';
import { signInBy } from './sign-in-by.js';
import { signInErrors } from './sign-in-errors.js';

const tag = 'Authentication';
const fresh = { kind: 'session', isFresh: true } as const;
const otpBody = Type.Object({ otp: OtpSchema }, { additionalProperties: false, title: 'Otp' });

export const getFactors = defineRoute({
  operationId: 'getFactors',
  method: 'GET',
  path: '/v1/account/factors',
  summary: 'List what you can sign in with',
  tag: 'Account',
  auth: { kind: 'scope', scope: 'account' },
  replies: { 200: FactorsSchema },
  errors: ['ACCOUNT_NOT_FOUND'],
  async handle({ account }, { accounts: { secondFactor } }) {
    return { status: 200, data: await secondFactor.list(personOf(account).id) };
  },
});

export const setUpTotp = defineRoute({
  operationId: 'setUpTotp',
  method: 'POST',
  path: '/v1/auth/2fa/setup',
  summary: 'Set up an authenticator app',
  description:
    'Returns a secret for an authenticator app; a code of the app enables it with `POST /v1/auth/2fa/enable` within 30 minutes. Until then nothing changes; setting up again makes another secret.',
  tag,
  auth: fresh,
  replies: {
    200: Type.Object(
      {
        secret: Type.String({ description: 'To type into an app (base32).', examples: ['JBSWY3DPEHPK3PXP'] }),
        otpauth_url: Type.String({ description: 'What the picture contains.', examples: ['otpauth://totp/…'] }),
        qr_svg: Type.String({ description: 'Picture for the camera of a phone, SVG.', examples: ['<svg …'] }),
        expires_in: Type.Integer({ description: 'Seconds.', examples: [SETUP_LIFE_MS / 1_000] }),
      },
      { additionalProperties: false, title: 'TotpSetup' },
    ),
  },
  errors: ['CONFLICT'],
  async handle(request, { accounts: { secondFactor } }) {
    const { secret, otpauthUrl } = await secondFactor.setUp(personOf(request.account).id, actorOf(request));
    const data = { secret, otpauth_url: otpauthUrl, qr_svg: renderSVG(otpauthUrl), expires_in: SETUP_LIFE_MS / 1_000 };
    return { status: 200, data };
  },
});

export const enableTotp = defineRoute({
  operationId: 'enableTotp',
  method: 'POST',
  path: '/v1/auth/2fa/enable',
  summary: 'Turn two-factor sign-in on',
  description:
    'Confirms the authenticator app that was set up with one of its codes. From then on every sign-in by password, mailed code or external account also needs a code. 409 CONFLICT: it is on already, or nothing was set up in the last 30 minutes.',
  tag,
  auth: fresh,
  limit: signInLimit,
  body: otpBody,
  bodyExample: { otp: '492039' },
  replies: {
    200: Type.Object({ ok: Type.Literal(true), recovery_codes: RecoveryCodesSchema }, { additionalProperties: false }),
  },
  errors: ['CONFLICT', 'AUTH_2FA_INVALID', 'ACCOUNT_NOT_FOUND'],
  async handle(request, { accounts: { secondFactor } }) {
    const { account, body } = request;
    const codes = await secondFactor.enable(personOf(account).id, body.otp, actorOf(request));
    return { status: 200, data: { ok: true as const, recovery_codes: codes } };
  },
});

export const disableTotp = defineRoute({
  operationId: 'disableTotp',
  method: 'POST',
  path: '/v1/auth/2fa/disable',
  summary: 'Turn two-factor sign-in off',
  description: 'Removes the authenticator app and all recovery codes.',
  tag,
  auth: fresh,
  limit: signInLimit,
  body: otpBody,
  bodyExample: { otp: '492039' },
  replies: { 200: Type.Object({ ok: Type.Literal(true) }, { additionalProperties: false }) },
  errors: ['CONFLICT', 'AUTH_2FA_INVALID', 'ACCOUNT_NOT_FOUND'],
  async handle(request, { accounts: { secondFactor } }) {
    const { account, body } = request;
    await secondFactor.disable(personOf(account).id, body.otp, actorOf(request));
    return { status: 200, data: { ok: true as const } };
  },
});

export const renewRecoveryCodes = defineRoute({
  operationId: 'renewRecoveryCodes',
  method: 'POST',
  path: '/v1/auth/2fa/recovery-codes',
  summary: 'Get new recovery codes',
  description: 'All earlier ones end.',
  tag,
  auth: fresh,
  replies: { 200: Type.Object({ recovery_codes: RecoveryCodesSchema }, { additionalProperties: false }) },
  errors: ['CONFLICT', 'ACCOUNT_NOT_FOUND'],
  async handle(request, { accounts: { secondFactor } }) {
    const codes = await secondFactor.renewCodes(personOf(request.account).id, actorOf(request));
    return { status: 200, data: { recovery_codes: codes } };
  },
});

export const verifySecondFactor = defineRoute({
  operationId: 'verifySecondFactor',
  method: 'POST',
  path: '/v1/auth/2fa/verify',
  summary: 'Complete a sign-in with a second factor',
  description:
    'Continues a sign-in that got 401 AUTH_2FA_REQUIRED, with the `challenge` of its `error.meta`, within ten minutes. Five wrong codes end it (AUTH_SESSION_INVALID); wrong codes of an account are slowed down like wrong passwords.',
  tag,
  auth: { kind: 'public' },
  isOpenToUnverified: true,
  limit: signInLimit,
  body: Type.Object(
    { challenge: Type.String({ minLength: 1, maxLength: 200, examples: ['svc_ch_…'] }), otp: OtpSchema },
    { additionalProperties: false, title: 'SecondFactor' },
  ),
  bodyExample: { challenge: 'svc_ch_…', otp: '492039' },
  replies: { 200: AuthSchema },
  errors: ['AUTH_SESSION_INVALID', ...signInErrors],
  async handle(request, { accounts: { completion } }) {
    const { tokens, user } = await completion.answer(request.body, signInBy(request));
    return { status: 200, data: authReply(tokens, user) };
  },
});

const StepUpSchema = Type.Object(
  {
    password: Type.Optional(PasswordSchema),
    otp: Type.Optional(OtpSchema),
    code: Type.Optional(EmailCodeSchema),
    challenge: Type.Optional(PasskeyChallengeSchema),
    response: Type.Optional(AuthenticationResponseSchema),
  },
  { additionalProperties: false, title: 'StepUp' },
);

export const stepUp = defineRoute({
  operationId: 'stepUp',
  method: 'POST',
  path: '/v1/auth/step-up',
  summary: 'Confirm that it is you',
  description:
    'Makes the session of the request fresh for ten minutes, so that it may change what protects the account. `error.meta.factors` of a refusal (401 AUTH_2FA_REQUIRED) lists what this account confirms by; send exactly one: `password`, `otp`, `code`, which `POST /v1/auth/otp/request` mails, or `challenge` and `response` of a passkey (`POST /v1/auth/passkey/login/options`).',
  tag,
  auth: { kind: 'session' },
  isOpenToUnverified: true,
  limit: signInLimit,
  body: StepUpSchema,
  bodyExample: { password: 'correct horse battery staple' },
  replies: {
    200: Type.Object(
      { fresh_until: Type.String({ format: 'date-time', examples: ['2026-03-01T12:10:00.000Z'] }) },
      { additionalProperties: false },
    ),
  },
  errors: [
    'AUTH_CREDENTIALS_INVALID',
    'AUTH_2FA_INVALID',
    'AUTH_OTP_INVALID',
    'AUTH_OTP_EXPIRED',
    'AUTH_OTP_ATTEMPTS_EXCEEDED',
    'AUTH_WEBAUTHN_CHALLENGE_INVALID',
    'ACCOUNT_NOT_FOUND',
    'VALIDATION_FAILED',
  ],
  async handle(request, { accounts: { stepUp } }) {
    const { account, body } = request;
    const { freshness, credentialId: sessionId } = account;
    if (freshness === null) throw new TypeError('a session has a freshness');
    const by = { userId: personOf(account).id, sessionId, freshness, actor: actorOf(request) };
    const until = await stepUp.prove(proofOf(body), by);
    return { status: 200, data: { fresh_until: until.toISOString() } };
  },
});

/** @throws ApiError VALIDATION_FAILED for one half of a passkey's proof */
function proofOf({ challenge, response, ...proof }: Static<typeof StepUpSchema>): StepUpProof {
  if (challenge === undefined && response === undefined) return proof;
  if (challenge === undefined || response === undefined)
    throw fieldError(challenge === undefined ? 'challenge' : 'response', 'required', 'is required');
  return { ...proof, passkey: { challenge, response } };
}
