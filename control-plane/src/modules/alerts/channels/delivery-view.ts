import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { nullable } from '@vantage/shared/nullable.js';
import { type Static, Type } from 'typebox';
import { IsTestSchema } from '../../../http/is-test.js';
import { attemptOutcomes } from '../deliveries/counts.js';
import type { ListedDelivery } from '../deliveries/delivery.js';
import { maskRecipient } from '../deliveries/masking.js';
import { endReasons } from '../deliveries/needed.js';
import { deliveryStatuses } from '../deliveries/next-state.js';
import { messageKinds } from '../types/message.js';

const Instant = Type.String({ format: 'date-time' });

const fields = {
  id: Type.String({ pattern: idPattern(idPrefixes.alertDelivery) }),
  is_test: IsTestSchema,
  channel_id: Type.String(),
  channel_name: Type.String({ description: 'Name of the channel when the message was created.' }),
  type: Type.String({ example: 'webhook' }),
  kind: Type.Enum([...messageKinds], { type: 'string' }),
  alert_event_ids: Type.Array(Type.String(), { maxItems: 100 }),
  alert_count: Type.Integer({ minimum: 0 }),
  to: Type.Array(Type.String({ example: 'o***@e***m' }), {
    description: 'Recipient, masked; empty for types without recipients.',
  }),
  title: Type.String({ description: 'Empty for verifications.' }),
  text: Type.String({ description: 'Text without links; empty for verifications.' }),
  status: Type.Enum([...deliveryStatuses], { type: 'string' }),
  reason: nullable(Type.Enum([...endReasons], { type: 'string' }), 'Reason of `dead` and `dropped`; otherwise null.'),
  attempts: Type.Array(
    Type.Object(
      {
        at: Instant,
        duration_ms: Type.Integer({ minimum: 0 }),
        outcome: Type.Enum([...attemptOutcomes], {
          type: 'string',
          description: '`unknown`: the request was sent, and no response arrived.',
        }),
        status_code: nullable(Type.Integer(), 'HTTP status; null: no response.'),
        error: nullable(Type.String(), 'Error; null: accepted.'),
        response: nullable(
          Type.String(),
          'At most 4 KiB of the response, secrets masked; null: none, or the account has had 20 MB of requests and responses stored today.',
        ),
      },
      { additionalProperties: false },
    ),
    { maxItems: 20, description: 'The last 20 attempts.' },
  ),
  provider_id: nullable(Type.String(), 'Id that the receiver gave the message; null: none.'),
  next_attempt_at: nullable(Instant, 'Time of the next attempt; null: none.'),
  created_at: Instant,
  finished_at: nullable(Instant, 'Time of the end; null: it has not ended.'),
};

/** A delivery in a list. */
export const AlertDeliverySchema = Type.Object(fields, { additionalProperties: false, title: 'AlertDelivery' });

export const DeliveryRequestSchema = Type.Object(
  {
    method: Type.String({ description: '`SMTP` for a mail.', example: 'POST' }),
    url: Type.String({ example: 'https://hooks.example.com/********' }),
    headers: Type.Record(Type.String(), Type.String()),
    body: Type.String(),
  },
  { additionalProperties: false, title: 'AlertDeliveryRequest' },
);

/** A delivery by its id. */
export const AlertDeliveryDetailSchema = Type.Object(
  {
    ...fields,
    request: nullable(
      DeliveryRequestSchema,
      'Request of the last attempt as it was sent, secrets and links masked, the body up to 16,384 characters; null: nothing was sent yet, it is a verification, or the account has had 20 MB of requests and responses stored today.',
    ),
  },
  { additionalProperties: false, title: 'AlertDeliveryDetail' },
);

/** A delivery as the API shows it. */
export function deliveryView(row: ListedDelivery): Static<typeof AlertDeliverySchema> {
  return {
    id: row.id,
    is_test: row.is_test,
    channel_id: row.channel_id,
    channel_name: row.channel_name,
    type: row.type,
    kind: row.kind,
    alert_event_ids: row.alert_ids,
    alert_count: row.alert_count,
    to: row.recipient === null ? [] : [maskRecipient(row.recipient)],
    title: row.title,
    text: row.text,
    status: row.status,
    reason: row.reason,
    attempts: row.attempts,
    provider_id: row.provider_id,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}
