import { MASK } from '../endpoints/schema.js';
import { bodyOf } from '../kinds/payload.js';
import type { KnownDelivery, ListedDelivery } from './delivery-store.js';
import { readEvent } from './event-store.js';
import type { DeliveryDetail, DeliveryView } from './schema.js';

/** Delivery as lists show it. */
export function deliveryView(row: ListedDelivery): DeliveryView {
  const attempts = row.attempts.map(({ at, duration_ms, status_code, error }) => ({
    at,
    duration_ms,
    status_code,
    error,
  }));
  return { ...commonOf(row), attempts };
}

/** Delivery with its request and the responses. */
export function deliveryDetail(row: KnownDelivery): DeliveryDetail {
  const headers = {
    'content-type': 'application/json',
    'webhook-id': row.event_id,
    ...Object.fromEntries(row.header_names.map((name) => [name, MASK])),
  };
  const body = bodyOf(readEvent(row), row.payload);
  return {
    ...commonOf(row),
    attempts: row.attempts.map((attempt) => ({ ...attempt, response_headers: { ...attempt.response_headers } })),
    request: { url: row.url, headers, body },
  };
}

function commonOf(row: Omit<ListedDelivery, 'attempts'>) {
  return {
    id: row.id,
    event_id: row.event_id,
    endpoint_id: row.endpoint_id,
    type: row.kind,
    status: row.status,
    redelivery_of: row.redelivery_of,
    next_attempt_at: row.due_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}
