import { nullable } from '@vantage/shared/nullable.js';
import { type Static, Type } from 'typebox';
import { deliveryStatuses } from './delivery-store.js';

const strict = { additionalProperties: false };
const dateTime = (description: string) =>
  nullable(Type.String({ format: 'date-time', examples: ['2026-11-21T09:16:00.000Z'] }), description);

const AttemptFields = {
  at: Type.String({ format: 'date-time' }),
  duration_ms: Type.Integer({ minimum: 0 }),
  status_code: nullable(Type.Integer({ examples: [503] }), 'Null: there was no response.'),
  error: nullable(Type.String({ examples: ['status 503'] }), 'Reason of the failure; null: the attempt succeeded.'),
};

const DeliveryFields = {
  id: Type.String({ examples: ['whd_1FZ3ybQXhhsV3cDKtVoMjX'] }),
  event_id: Type.String({
    description: 'Header `webhook-id` of the requests.',
    examples: ['evt_1FZ3ybQXhhsV3cDKtVoMjX'],
  }),
  endpoint_id: Type.String({ examples: ['whe_1FZ3ybQXhhsV3cDKtVoMjX'] }),
  type: Type.String({ description: 'Kind of the event.', examples: ['monitor.down'] }),
  status: Type.Enum([...deliveryStatuses], {
    type: 'string',
    description:
      '`pending`: no attempt has ended; `retrying`: attempts have failed, another follows; `skipped`: the endpoint was paused or disabled.',
  }),
  redelivery_of: nullable(Type.String(), 'Delivery that this one repeats; null: none.'),
  next_attempt_at: dateTime('Null: no attempt follows.'),
  created_at: Type.String({ format: 'date-time' }),
  finished_at: dateTime('Null: it is under way.'),
};

/** Delivery in lists. */
export const DeliverySchema = Type.Object(
  {
    ...DeliveryFields,
    attempts: Type.Array(Type.Object(AttemptFields, { ...strict, title: 'WebhookAttempt' }), {
      description: 'Oldest first, the last 20. `GET /v1/webhooks/deliveries/{id}` shows their responses.',
    }),
  },
  { ...strict, title: 'WebhookDelivery' },
);

/** Delivery with its request and the responses. */
export const DeliveryDetailSchema = Type.Object(
  {
    ...DeliveryFields,
    attempts: Type.Array(
      Type.Object(
        {
          ...AttemptFields,
          response: nullable(
            Type.String({ maxLength: 4096 }),
            'First 4 KiB of the body, secrets masked; null: there was no response, or the account has had 20 MB of responses stored today.',
          ),
          response_headers: Type.Record(Type.String(), Type.String()),
        },
        { ...strict, title: 'WebhookAttemptDetail' },
      ),
      { description: 'Oldest first, the last 20.' },
    ),
    request: Type.Object(
      {
        url: Type.String(),
        headers: Type.Record(Type.String(), Type.String(), {
          description: 'Headers that are the same in every attempt; the values of your headers are masked.',
        }),
        body: Type.String({ description: 'JSON, byte for byte as it is sent.' }),
      },
      strict,
    ),
  },
  { ...strict, title: 'WebhookDeliveryDetail' },
);

/** Body of POST /v1/webhooks/{id}/recover. */
export const RecoverSchema = Type.Object(
  {
    since: Type.String({
      maxLength: 40,
      description: 'ISO 8601 date-time with a time zone, or a time before now (`-7d`): at most 30 days ago.',
      examples: ['-24h'],
    }),
    until: Type.Optional(Type.String({ maxLength: 40, description: 'The same; default: now.' })),
    status: Type.Enum(['failed', 'all'], {
      type: 'string',
      default: 'failed',
      description: '`failed`: events that were not delivered, skipped ones included; `all`: delivered ones too.',
    }),
  },
  strict,
);

export type DeliveryView = Static<typeof DeliverySchema>;
export type DeliveryDetail = Static<typeof DeliveryDetailSchema>;
