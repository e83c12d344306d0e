import type { Knex } from 'knex';
import { queryPrepared } from '../../../db/prepared.js';
import type { Attempt } from '../deliveries/attempt.js';
import { type DeliveryStatus, oldestUnsent } from '../deliveries/delivery-store.js';
import type { Health } from './health.js';

/** Endpoint and its health, locked. */
export interface LockedHealth extends Health {
  readonly endpointId: string;
  readonly ownerId: string;
  readonly isTest: boolean;
  readonly url: string;
  readonly status: 'active' | 'paused' | 'disabled';
}

interface HealthRow {
  readonly endpoint_id: string;
  readonly owner_id: string;
  readonly is_test: boolean;
  readonly url: string;
  readonly status: LockedHealth['status'];
  readonly failing_since: Date | null;
  readonly failing_event: string | null;
  readonly has_failed_again: boolean;
  readonly warned_at: Date | null;
  readonly last_success_at: Date | null;
  readonly last_failure_at: Date | null;
  readonly is_slow: boolean;
}

/** Locks endpoints, before their queues: their settings do not change until the transaction ends. */
export async function lockEndpoints(trx: Knex, endpointIds: readonly string[]): Promise<void> {
  if (endpointIds.length === 0) return;
  await queryPrepared(trx, LOCK_ENDPOINTS, [[...new Set(endpointIds)]]);
}

const LOCK_ENDPOINTS = {
  name: 'webhook-lock-endpoints',
  text: 'SELECT FROM webhook_endpoints WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE',
};

/** Locks the queues of endpoints in the order of their ids; those that were deleted are left out. */
export async function lockHealth(trx: Knex, endpointIds: readonly string[]): Promise<LockedHealth[]> {
  const rows = await queryPrepared<HealthRow>(trx, LOCK_HEALTH, [[...new Set(endpointIds)]]);
  return rows.map((row) => ({
    endpointId: row.endpoint_id,
    ownerId: row.owner_id,
    isTest: row.is_test,
    url: row.url,
    status: row.status,
    failingSinceMs: row.failing_since?.getTime() ?? null,
    failingEvent: row.failing_event,
    hasFailedAgain: row.has_failed_again,
    warnedAtMs: row.warned_at?.getTime() ?? null,
    lastSuccessAtMs: row.last_success_at?.getTime() ?? null,
    lastFailureAtMs: row.last_failure_at?.getTime() ?? null,
    isSlow: row.is_slow,
  }));
}

// columns by name: a prepared statement with `*` fails for good once a migration has added one
const LOCK_HEALTH = {
  name: 'webhook-lock-health',
  text: `SELECT q.endpoint_id, e.owner_id, e.is_test, e.url, e.status, q.failing_since, q.failing_event, q.has_failed_again,
      q.warned_at, q.last_success_at, q.last_failure_at, q.is_slow
    FROM webhook_queues q JOIN webhook_endpoints e ON e.id = q.endpoint_id
    WHERE q.endpoint_id = ANY($1) ORDER BY q.endpoint_id FOR UPDATE OF q`,
};

/** End of one attempt. */
export interface Mark {
  readonly id: string;
  /** Lease under which it was sent; another value means that another replica has claimed it since. */
  readonly leasedUntil: Date;
  readonly status: DeliveryStatus;
  /** Next attempt; null if there is none. */
  readonly dueAt: Date | null;
  readonly attempt: Attempt;
  readonly endedAt: Date;
}

/** Writes the ends of attempts. @returns ids of those whose lease was still held */
export async function markAttempts(trx: Knex, marks: readonly Mark[], nowMs: number): Promise<ReadonlySet<string>> {
  const held = await queryPrepared<{ id: string }>(trx, MARK, [JSON.stringify(marks), oldestUnsent(nowMs)]);
  return new Set(held.map(({ id }) => id));
}

const MARK = {
  name: 'webhook-mark',
  text: `WITH m AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset($1)
        AS m (id text, "leasedUntil" timestamptz, status text, "dueAt" timestamptz, attempt jsonb, "endedAt" timestamptz)
    ), held AS (
      DELETE FROM webhook_leases l USING m WHERE l.delivery_id = m.id AND l.leased_until = m."leasedUntil" RETURNING l.delivery_id
    ), ended AS (
      DELETE FROM webhook_waiting w USING m JOIN held ON held.delivery_id = m.id WHERE w.delivery_id = m.id AND m."dueAt" IS NULL
    ), delayed AS (
      UPDATE webhook_waiting w SET lane = 'retry', due_at = m."dueAt"
      FROM m JOIN held ON held.delivery_id = m.id WHERE w.delivery_id = m.id AND m."dueAt" IS NOT NULL
    )
    UPDATE webhook_deliveries d SET status = m.status, due_at = m."dueAt",
      attempt_count = d.attempt_count + 1, attempts = d.attempts || m.attempt,
      finished_at = CASE WHEN m."dueAt" IS NULL THEN m."endedAt" END
    FROM m JOIN held ON held.delivery_id = m.id WHERE d.id = m.id AND d.id >= $2 RETURNING d.id`,
};

/** Writes the health of locked endpoints. `isDue`: whether a place is free and nothing that is claimed waits for it. */
export async function updateHealth(
  trx: Knex,
  rows: readonly (Health & { readonly endpointId: string; readonly isDue: boolean })[],
  at: Date,
): Promise<void> {
  const dateOf = (instantMs: number | null) => (instantMs === null ? null : new Date(instantMs));
  const columns = rows.map(({ endpointId, ...health }) => ({
    endpoint_id: endpointId,
    failing_since: dateOf(health.failingSinceMs),
    failing_event: health.failingEvent,
    has_failed_again: health.hasFailedAgain,
    warned_at: dateOf(health.warnedAtMs),
    last_success_at: dateOf(health.lastSuccessAtMs),
    last_failure_at: dateOf(health.lastFailureAtMs),
    is_slow: health.isSlow,
    is_due: health.isDue,
  }));
  await queryPrepared(trx, UPDATE_HEALTH, [at, JSON.stringify(columns)]);
}

const UPDATE_HEALTH = {
  name: 'webhook-update-health',
  text: `UPDATE webhook_queues q SET failing_since = h.failing_since, failing_event = h.failing_event,
      has_failed_again = h.has_failed_again, warned_at = h.warned_at, last_success_at = h.last_success_at,
      last_failure_at = h.last_failure_at, is_slow = h.is_slow, due_at = CASE WHEN h.is_due THEN least(q.due_at, $1::timestamptz) ELSE q.due_at END
    FROM jsonb_to_recordset($2) AS h (endpoint_id text, failing_since timestamptz, failing_event text, has_failed_again boolean,
      warned_at timestamptz, last_success_at timestamptz, last_failure_at timestamptz, is_slow boolean, is_due boolean)
    WHERE q.endpoint_id = h.endpoint_id`,
};

/** Disables an endpoint unless a user has paused or deleted it. @returns false if it is not active */
export async function disableEndpoint(
  trx: Knex,
  { endpointId, ownerId }: Pick<LockedHealth, 'endpointId' | 'ownerId'>,
  { reason, at }: { readonly reason: 'failing' | 'gone'; readonly at: Date },
): Promise<boolean> {
  const changed = await trx('webhook_endpoints')
    .where({ id: endpointId, owner_id: ownerId, status: 'active' })
    .update({ status: 'disabled', disabled_reason: reason, disabled_at: at, updated_at: at });
  return changed === 1;
}
