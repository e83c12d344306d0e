import { Type } from 'typebox';
import { renderSVG } from 'uqr';
import { actorOf } from '../../../audit-log/actor.js';
import { personOf } from '../../../http/access.js';
import { fieldError } from '../../../http/errors.js';
import { type Account, defineRoute, type RouteRequest } from '../../../http/route.js';
import { AuthSchema } from '../profile/schema.js';
import { authReply } from '../sessions/auth-reply.js';
import { clientOf } from '../sessions/client-info.js';
import { QR_SECONDS, type QrApprover } from '../ways/qr-sign-in.js';
import { qrPollLimit, signInLimit } from './limits.js';
import { signInBy } from './sign-in-by.js';

const tag = 'Authentication';

const QrToken = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Fragment of the address in the picture.',
  examples: ['Ab3…'],
});

export const startQr = defineRoute({
  operationId: 'startQrSignIn',
  method: 'POST',
  path: '/v1/auth/qr/start',
  summary: 'Start a sign-in by QR code',
  description:
    'For a device on which typing is laborious. Show `qr_svg` and the two digits of `code`: a person who is signed in elsewhere opens the picture there and types the digits. Keep `challenge` to yourself: `POST /v1/auth/qr/poll` gets the session with it. Three wrong digits, two minutes or one use end it.',
  tag,
  auth: { kind: 'public' },
  isOpenToUnverified: true,
  limit: signInLimit,
  replies: {
    200: Type.Object(
      {
        challenge: Type.String({ examples: ['svc_ch_…'] }),
        code: Type.String({ description: 'Two digits, for the person to read.', examples: ['07'] }),
        qr_url: Type.String({ description: 'Content of the picture.', examples: ['https://vantage.example/qr#Ab3…'] }),
        qr_svg: Type.String({ description: 'Picture for the camera of a phone, SVG.', examples: ['<svg …'] }),
        expires_in: Type.Integer({ description: 'Seconds.', examples: [QR_SECONDS] }),
      },
      { additionalProperties: false, title: 'QrStart' },
    ),
  },
  errors: [],
  async handle(request, { accounts: { qrSignIn } }) {
    const { challenge, code, url } = await qrSignIn.start(clientOf(request));
    const data = { challenge, code, qr_url: url, qr_svg: renderSVG(url), expires_in: QR_SECONDS };
    return { status: 200, data };
  },
});

export const pollQr = defineRoute({
  operationId: 'pollQrSignIn',
  method: 'POST',
  path: '/v1/auth/qr/poll',
  summary: 'Wait for the approval of a QR code',
  description:
    'Returns `status` as long as no one has approved, then once the tokens of the session. Call it every two seconds. The session does not count as fresh: what protects the account is changed after `POST /v1/auth/step-up`.',
  tag,
  auth: { kind: 'public' },
  isOpenToUnverified: true,
  limit: qrPollLimit,
  body: Type.Object(
    { challenge: Type.String({ minLength: 1, maxLength: 200, examples: ['svc_ch_…'] }) },
    { additionalProperties: false, title: 'QrPoll' },
  ),
  bodyExample: { challenge: 'svc_ch_…' },
  replies: {
    200: Type.Union([
      AuthSchema,
      Type.Object(
        {
          status: Type.Enum(['pending', 'denied'], {
            type: 'string',
            description: '`denied`: a person refused, or three wrong digits were typed.',
            examples: ['pending'],
          }),
        },
        { additionalProperties: false, title: 'QrStatus' },
      ),
    ]),
  },
  errors: [
    'AUTH_OTP_INVALID',
    'AUTH_OTP_EXPIRED',
    'AUTH_ACCOUNT_DISABLED',
    'ACCOUNT_DELETED',
    'AUTH_EMAIL_NOT_VERIFIED',
  ],
  async handle(request, { accounts: { qrSignIn } }) {
    const polled = await qrSignIn.poll(request.body.challenge, signInBy(request));
    const data = typeof polled === 'string' ? { status: polled } : authReply(polled.tokens, polled.user);
    return { status: 200, data };
  },
});

export const lookAtQr = defineRoute({
  operationId: 'lookAtQrSignIn',
  method: 'POST',
  path: '/v1/auth/qr/look',
  summary: 'Get the device that shows a QR code',
  description: 'Show both to the person before they approve. They are as that device sent them.',
  tag,
  auth: { kind: 'session' },
  body: Type.Object({ token: QrToken }, { additionalProperties: false, title: 'QrLook' }),
  bodyExample: { token: 'Ab3…' },
  replies: {
    200: Type.Object(
      {
        address: Type.String({ description: 'IP address.', examples: ['203.0.113.7'] }),
        user_agent: Type.Union([Type.String(), Type.Null()], { examples: ['Mozilla/5.0 (SmartTV)'] }),
      },
      { additionalProperties: false, title: 'QrDevice' },
    ),
  },
  errors: ['AUTH_OTP_INVALID', 'AUTH_OTP_EXPIRED'],
  async handle({ body }, { accounts: { qrSignIn } }) {
    const { address, userAgent } = await qrSignIn.look(body.token);
    return { status: 200, data: { address, user_agent: userAgent } };
  },
});

export const approveQr = defineRoute({
  operationId: 'approveQrSignIn',
  method: 'POST',
  path: '/v1/auth/qr/approve',
  summary: 'Approve or refuse a device',
  description:
    'Signs the device in as you, with `code`, the two digits that it shows and that the person types. AUTH_OTP_INVALID with `details`: the digits are wrong; the third time it ends the QR code. With `approve: false` the device is refused, and no digits are needed.',
  tag,
  auth: { kind: 'session', isFresh: true },
  body: Type.Object(
    {
      token: QrToken,
      code: Type.Optional(Type.String({ maxLength: 8, description: 'Two digits.', examples: ['07'] })),
      approve: Type.Boolean({ examples: [true] }),
    },
    { additionalProperties: false, title: 'QrApproval' },
  ),
  bodyExample: { token: 'Ab3…', code: '07', approve: true },
  replies: { 200: Type.Object({ ok: Type.Literal(true) }, { additionalProperties: false }) },
  errors: ['AUTH_OTP_INVALID', 'AUTH_OTP_EXPIRED', 'VALIDATION_FAILED'],
  async handle(request, { accounts: { qrSignIn } }) {
    const { token, code, approve } = request.body;
    const person = approverOf(request);
    if (!approve) await qrSignIn.deny(token, person);
    else if (code === undefined) throw fieldError('code', 'required', 'is required');
    else await qrSignIn.approve({ token, code }, person);
    return { status: 200, data: { ok: true as const } };
  },
});

function approverOf(request: RouteRequest<unknown, unknown, unknown, Account>): QrApprover {
  const { account } = request;
  return { userId: personOf(account).id, sessionId: account.credentialId, actor: actorOf(request) };
}
