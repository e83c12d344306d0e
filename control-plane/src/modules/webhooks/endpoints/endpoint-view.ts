import { PAYLOAD_VERSION } from '../kinds/payload.js';
import type { EndpointRow } from './endpoint-store.js';
import { type EndpointView, MASK } from './schema.js';

/** Endpoint as the API shows it at an instant. */
export function endpointView(row: EndpointRow, nowMs: number): EndpointView {
  const { monitor_ids, tags_any, previous_secret_expires_at: until } = row;
  const hasFilter = monitor_ids !== null || tags_any !== null;
  return {
    id: row.id,
    user_id: row.created_by,
    url: row.url,
    events: [...row.events],
    description: row.description,
    status: row.status,
    disabled_reason: row.disabled_reason,
    disabled_at: textOf(row.disabled_at),
    failing_since: textOf(row.failing_since),
    payload: row.payload,
    version: PAYLOAD_VERSION,
    filter: hasFilter
      ? {
          ...(monitor_ids === null ? {} : { monitor_ids: [...monitor_ids] }),
          ...(tags_any === null ? {} : { tags_any: [...tags_any] }),
        }
      : null,
    headers: Object.fromEntries(row.header_names.map((name) => [name, MASK])),
    secret_hint: row.secret_hint,
    previous_secret_expires_at: until !== null && until.getTime() > nowMs ? textOf(until) : null,
    last_success_at: textOf(row.last_success_at),
    last_failure_at: textOf(row.last_failure_at),
    is_test: row.is_test,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function textOf(at: Date | null): string | null {
  return at?.toISOString() ?? null;
}
