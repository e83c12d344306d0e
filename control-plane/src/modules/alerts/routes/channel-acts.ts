import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { fieldError } from '../../../http/errors.js';
import { defineRoute } from '../../../http/route.js';
import { AlertChannelSchema, UsedBySchema } from '../channels/channel-schema.js';
import { AlertDeliverySchema, DeliveryRequestSchema, deliveryView } from '../channels/delivery-view.js';
import { testKinds } from '../types/texts/service-messages.js';
import { idParams as params, channelTag as tag, writes } from './alert-access.js';

/** POST /v1/alert-channels/{id}/test (API specification 2.5). */
export const testAlertChannel = defineRoute({
  operationId: 'testAlertChannel',
  method: 'POST',
  path: '/v1/alert-channels/{id}/test',
  summary: 'Send a test message to an alert channel',
  description:
    'Sends one message to the channel, to its first verified recipient if the type has recipients, and waits for the result. A failure is a 200 with `ok` false, and `delivery.attempts` has the response of the receiver. `dry_run` sends nothing and returns the request with its secrets masked; a test key always gets that. If no enabled policy names the channel, the message and `advice` say so. At most 6 tests per minute and account.',
  tag,
  auth: writes,
  params,
  body: Type.Object(
    {
      kind: Type.Optional(
        Type.Enum([...testKinds], { type: 'string', description: 'Kind of message to imitate. Default: firing.' }),
      ),
      dry_run: Type.Optional(Type.Boolean({ description: 'True: sends nothing. Default: false.' })),
    },
    { additionalProperties: false },
  ),
  bodyExample: { kind: 'firing' },
  replies: {
    200: Type.Object(
      {
        ok: Type.Boolean({ description: 'True if the receiver accepted the message, or for a dry run.' }),
        delivery: nullable(AlertDeliverySchema, 'The delivery; null for a dry run.'),
        request: nullable(DeliveryRequestSchema, 'Request of a dry run; otherwise null.'),
        used_by: UsedBySchema,
        advice: nullable(
          Type.String(),
          'Reason why no alert reaches the channel, and the remedy; null if a policy names it.',
        ),
      },
      { additionalProperties: false },
    ),
  },
  errors: ['VALIDATION_FAILED', 'ALERT_CHANNEL_NOT_FOUND', 'ALERT_CHANNEL_INVALID', 'RATE_LIMIT_EXCEEDED'],
  checkLimits: ({ account }, { alerts }) => alerts.testSend.refuseExhausted(account),
  async handle(request, { alerts }) {
    const {
      account,
      params: { id },
      body,
    } = request;
    const test = { kind: body.kind ?? 'firing', isDryRun: body.dry_run ?? false };
    const act = { account, actor: actorOf(request) };
    const { delivery, used_by, ...result } = await alerts.testSend.run(id, test, act);
    const shown = delivery === null ? null : deliveryView(delivery);
    return { status: 200, data: { ...result, delivery: shown, used_by: [...used_by] } };
  },
});

/** POST /v1/alert-channels/{id}/verify (API specification 2.5). */
export const verifyAlertChannel = defineRoute({
  operationId: 'verifyAlertChannel',
  method: 'POST',
  path: '/v1/alert-channels/{id}/verify',
  summary: 'Verify a recipient of an alert channel',
  description:
    'With `code`: verifies the recipient `to`, which may be left out if there is only one. Without it: sends a new code to `to`, or to every recipient that is not verified, at most 3 per hour and recipient. A code is valid for five tries: by e-mail for 24 hours, by sms and voice for ten minutes. For types whose recipients need no code it sends the test message, whose acceptance verifies the channel.',
  tag,
  auth: writes,
  params,
  body: Type.Object(
    {
      to: Type.Optional(Type.String({ minLength: 1, maxLength: 254, example: 'ops@example.com' })),
      code: Type.Optional(Type.String({ pattern: '^[0-9]{6,8}$', example: '12345678' })),
    },
    { additionalProperties: false },
  ),
  bodyExample: { to: 'ops@example.com', code: '12345678' },
  replies: { 200: AlertChannelSchema },
  errors: ['VALIDATION_FAILED', 'ALERT_CHANNEL_NOT_FOUND', 'ALERT_CHANNEL_INVALID', 'RATE_LIMIT_EXCEEDED'],
  async handle(request, { alerts }) {
    const {
      account,
      params: { id },
      body,
    } = request;
    const act = { account, actor: actorOf(request) };
    const row = await alerts.channels.get(id, account);
    const { recipients } = alerts.channels.view(row);
    const to = body.to?.trim().toLowerCase() ?? (recipients.length === 1 ? recipients[0]?.to : undefined);
    if (body.code === undefined) {
      if (alerts.channels.usesCodes(row)) await alerts.channels.sendCodes(id, to ?? null, act);
      else await alerts.testSend.run(id, { kind: 'firing', isDryRun: false }, act);
    } else {
      if (to === undefined)
        throw fieldError('to', 'required', 'is required: the channel has several recipients or none');
      await alerts.verification.confirm(row, { to, code: body.code }, act.actor);
    }
    return { status: 200, data: alerts.channels.view(await alerts.channels.get(id, account)) };
  },
});

export const resumeAlertRecipient = defineRoute({
  operationId: 'resumeAlertRecipient',
  method: 'POST',
  path: '/v1/alert-channels/{id}/resume-monitor',
  summary: 'Resume messages about a monitor',
  description:
    'A recipient stops the messages about one monitor by the link of a mail, and the channel lists the monitor in `stopped_monitors`. This sends them to the recipient again; `to` may be left out if there is only one.',
  tag,
  auth: writes,
  params,
  body: Type.Object(
    {
      to: Type.Optional(Type.String({ minLength: 1, maxLength: 254, example: 'ops@example.com' })),
      monitor_id: Type.String({ minLength: 1, maxLength: 64, example: 'm_1ChU56eJrh7pt5wkU4F2Xk' }),
    },
    { additionalProperties: false },
  ),
  bodyExample: { to: 'ops@example.com', monitor_id: 'm_1ChU56eJrh7pt5wkU4F2Xk' },
  replies: { 200: AlertChannelSchema },
  errors: ['VALIDATION_FAILED', 'ALERT_CHANNEL_NOT_FOUND', 'ALERT_CHANNEL_INVALID'],
  async handle(request, { alerts }) {
    const {
      account,
      params: { id },
      body,
    } = request;
    const row = await alerts.channels.get(id, account);
    const { recipients } = alerts.channels.view(row);
    const to = body.to?.trim().toLowerCase() ?? (recipients.length === 1 ? recipients[0]?.to : undefined);
    if (to === undefined) throw fieldError('to', 'required', 'is required: the channel has several recipients or none');
    await alerts.verification.resume(row, { to, monitorId: body.monitor_id }, actorOf(request));
    return { status: 200, data: alerts.channels.view(await alerts.channels.get(id, account)) };
  },
});
