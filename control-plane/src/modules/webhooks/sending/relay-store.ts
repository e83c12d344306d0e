import type { Knex } from 'knex';
import type { PayloadForm } from '../kinds/payload.js';

/** Endpoint that may receive events of its owner. */
export interface SubscribedEndpoint {
  readonly id: string;
  readonly owner_id: string;
  readonly is_test: boolean;
  readonly events: readonly string[];
  readonly monitor_ids: readonly string[] | null;
  readonly tags_any: readonly string[] | null;
  readonly payload: PayloadForm;
  readonly status: 'active' | 'paused' | 'disabled';
}

/** Endpoints of these owners. None of them changes until the transaction ends, so that a paused endpoint gets no event. */
export async function listSubscribed(trx: Knex, ownerIds: readonly string[]): Promise<SubscribedEndpoint[]> {
  const { rows } = await trx.raw<{ rows: SubscribedEndpoint[] }>(
    `SELECT id, owner_id, is_test, events, monitor_ids, tags_any, payload, status FROM webhook_endpoints
     WHERE owner_id = ANY(?) ORDER BY id FOR SHARE`,
    [[...new Set(ownerIds)]],
  );
  return rows;
}
