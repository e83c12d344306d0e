import { idLowerBound, idPrefixes } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { writeJsonRows } from '../../../db/json-rows.js';
import { queryNamed } from '../../../db/named.js';
import { type Owner, ownedBy } from '../../../owners/index.js';
import { lockQueues } from '../endpoints/endpoint-store.js';
import type { PayloadForm, WebhookEvent } from '../kinds/payload.js';
import type { Attempt } from './attempt.js';

/** States of a delivery. */
export const deliveryStatuses = ['pending', 'retrying', 'delivered', 'failed', 'skipped'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Lane of a delivery: new ones go first, recovered ones last. */
export type Lane = 'new' | 'retry' | 'recovery';

/** Delivery to be stored. */
export interface NewDelivery {
  readonly id: string;
  readonly ownerId: string;
  readonly endpointId: string;
  readonly event: Pick<WebhookEvent, 'id' | 'kind' | 'sequence'> & { readonly subject: string };
  readonly payload: PayloadForm;
  /** Skipped ones are not sent. */
  readonly status: 'pending' | 'skipped';
  readonly lane: Lane;
  readonly dueAt: Date;
  readonly redeliveryOf: string | null;
  readonly at: Date;
}

/** Stored delivery. */
export interface DeliveryRow {
  readonly id: string;
  readonly owner_id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly kind: WebhookEvent['kind'];
  readonly subject: string;
  readonly sequence: string;
  readonly payload: PayloadForm;
  readonly status: DeliveryStatus;
  readonly due_at: Date | null;
  readonly attempts: readonly Attempt[];
  readonly redelivery_of: string | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

const COLUMNS = `d.id, d.owner_id, d.endpoint_id, d.event_id, d.kind, d.subject, d.sequence, d.payload, d.status, d.due_at, d.attempts,
  d.redelivery_of, d.created_at, d.finished_at`;

/** Days after which a delivery has ended for certain: nine waits of at most a day each. */
const LONGEST_DAYS = 10;
const DAY_MS = 86_400_000;

/** Smallest id of a delivery that may still be sent: older partitions are not looked at. */
export function oldestUnsent(nowMs: number): string {
  return idLowerBound(idPrefixes.webhookDelivery, nowMs - LONGEST_DAYS * DAY_MS);
}

export async function insertDeliveries(trx: Knex, deliveries: readonly NewDelivery[]): Promise<void> {
  await writeJsonRows(deliveries.map(toColumns), (json) =>
    trx.raw(
      `WITH n AS MATERIALIZED (
         SELECT * FROM jsonb_to_recordset(?) AS n (id text, owner_id text, endpoint_id text, event_id text, kind text, subject text,
           sequence bigint, payload text, status text, lane text, due_at timestamptz, redelivery_of text, created_at timestamptz)
       ), log AS (
         INSERT INTO webhook_deliveries (id, owner_id, endpoint_id, event_id, kind, subject, sequence, payload, status, due_at,
           redelivery_of, created_at, finished_at)
         SELECT id, owner_id, endpoint_id, event_id, kind, subject, sequence, payload, status,
           CASE WHEN status = 'pending' THEN due_at END, redelivery_of, created_at, CASE WHEN status = 'skipped' THEN created_at END
         FROM n
       )
       INSERT INTO webhook_waiting (delivery_id, endpoint_id, subject, sequence, lane, due_at)
       SELECT id, endpoint_id, subject, sequence, lane, due_at FROM n WHERE status = 'pending'`,
      [json],
    ),
  );
}

function toColumns({ event, ...delivery }: NewDelivery) {
  const { id, ownerId, endpointId, payload, status, lane, dueAt, redeliveryOf, at } = delivery;
  return {
    id,
    owner_id: ownerId,
    endpoint_id: endpointId,
    event_id: event.id,
    kind: event.kind,
    subject: event.subject,
    sequence: event.sequence,
    payload,
    status,
    lane,
    due_at: dueAt,
    redelivery_of: redeliveryOf,
    created_at: at,
  };
}

/** Stores a delivery that has ended already: a test. */
export async function insertEnded(
  trx: Knex,
  delivery: Omit<NewDelivery, 'status' | 'lane' | 'dueAt' | 'redeliveryOf'> & {
    readonly status: 'delivered' | 'failed';
    readonly attempt: Attempt;
  },
): Promise<void> {
  const { id, ownerId, endpointId, event, payload, status, attempt, at } = delivery;
  await trx('webhook_deliveries').insert({
    id,
    owner_id: ownerId,
    endpoint_id: endpointId,
    event_id: event.id,
    kind: event.kind,
    subject: event.subject,
    sequence: event.sequence,
    payload,
    status,
    attempt_count: 1,
    attempts: JSON.stringify([attempt]),
    created_at: at,
    finished_at: at,
  });
}

/** Makes endpoints due at an instant, or earlier if they are already. Locks their queues in the order of their ids. */
export async function makeDue(trx: Knex, endpointIds: readonly string[], at: Date): Promise<void> {
  if (endpointIds.length === 0) return;
  await lockQueues(trx, endpointIds);
  // a separate statement: it must see that the previous claim found nothing and cleared due_at
  await trx.raw(
    `UPDATE webhook_queues SET due_at = :at
     WHERE endpoint_id = ANY(:endpointIds) AND (due_at IS NULL OR due_at > :at)`,
    { endpointIds: [...new Set(endpointIds)], at },
  );
}

/** Skips deliveries that wait for a locked endpoint, except those that are being sent. Locks its queue. */
export async function skipPending(
  trx: Knex,
  { id: endpointId, owner_id: ownerId }: { readonly id: string; readonly owner_id: string },
  nowMs: number,
): Promise<void> {
  // a claim at the same time would lock the same deliveries in another order
  await lockQueues(trx, [endpointId]);
  await trx.raw(
    `WITH gone AS (
       DELETE FROM webhook_waiting w WHERE endpoint_id = :endpointId
         AND NOT EXISTS (SELECT FROM webhook_leases l WHERE l.delivery_id = w.delivery_id AND l.leased_until > :now)
       RETURNING delivery_id
     )
     UPDATE webhook_deliveries d SET status = 'skipped', due_at = NULL, finished_at = :now
     FROM gone WHERE d.id = gone.delivery_id AND d.id >= :oldest AND owner_id = :ownerId`,
    { endpointId, ownerId, oldest: oldestUnsent(nowMs), now: new Date(nowMs) },
  );
}

/** Conditions on the deliveries of an endpoint, joined by AND; undefined or null matches any. */
export interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined;
  readonly kind?: string | undefined;
  readonly eventId?: string | undefined;
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** Columns of a list: attempts without what was received, of which ten may have 150 kB. */
const LISTED_COLUMNS = COLUMNS.replace(
  'd.attempts',
  `(SELECT coalesce(jsonb_agg(a.one - 'response' - 'response_headers' ORDER BY a.place), '[]')
    FROM jsonb_array_elements(d.attempts) WITH ORDINALITY a(one, place)) AS attempts`,
);

/** Delivery in a list: its attempts are without responses. */
export interface ListedDelivery extends Omit<DeliveryRow, 'attempts'> {
  readonly attempts: readonly Omit<Attempt, 'response' | 'response_headers'>[];
}

/** Deliveries of an endpoint, newest first, from a position on. */
export function listDeliveries(
  db: Knex,
  { endpointId, owner }: { readonly endpointId: string; readonly owner: Owner },
  page: { readonly filter: DeliveryFilter; readonly afterId: string | null; readonly limit: number },
): Promise<ListedDelivery[]> {
  const { status, kind, eventId, fromMs, toMs } = page.filter;
  const conditions = [
    'd.endpoint_id = :endpointId AND d.owner_id = :ownerId',
    ...(status === undefined ? [] : ['d.status = :status']),
    ...(kind === undefined ? [] : ['d.kind = :kind']),
    ...(eventId === undefined ? [] : ['d.event_id = :eventId']),
    ...(fromMs === null ? [] : ['d.id >= :from']),
    ...(toMs === null ? [] : ['d.id < :to']),
    ...(page.afterId === null ? [] : ['d.id < :afterId']),
  ].join(' AND ');
  const sql = `SELECT ${LISTED_COLUMNS} FROM webhook_deliveries d WHERE ${conditions} ORDER BY d.id DESC LIMIT (SELECT :limit::bigint)`;
  const bound = (instantMs: number | null) =>
    instantMs === null ? null : idLowerBound(idPrefixes.webhookDelivery, Math.max(0, instantMs));
  const values = { endpointId, ownerId: owner.id, status, kind, eventId, from: bound(fromMs), to: bound(toMs) };
  return queryNamed<ListedDelivery>(db, 'webhook-deliveries', sql, { ...values, ...page });
}

/** Delivery of an owner with its event and the present headers of its endpoint. */
export interface KnownDelivery extends DeliveryRow {
  readonly is_test: boolean;
  readonly at: Date;
  readonly data: Buffer;
  readonly url: string;
  readonly header_names: readonly string[];
}

/** Finds a delivery of an endpoint that exists; null if there is no such delivery. */
export async function findDelivery(db: Knex, id: string, owner: Owner): Promise<KnownDelivery | null> {
  const sql = `SELECT ${COLUMNS}, v.is_test, v.at, v.data, e.url, e.header_names
    FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id JOIN webhook_events v ON v.id = d.event_id
    WHERE d.id = :id AND ${ownedBy(owner, 'e')}`;
  const [row] = await queryNamed<KnownDelivery>(db, 'webhook-delivery', sql, { id, ownerId: owner.id });
  return row ?? null;
}

/** Event that an endpoint has missed, to be sent again. */
export interface MissedEvent {
  readonly event_id: string;
  readonly kind: WebhookEvent['kind'];
  readonly subject: string;
  readonly sequence: string;
  /** Newest delivery of it. */
  readonly last_id: string;
}

/**
 * Events that had deliveries to an endpoint within a period and have none that is pending, oldest first. `isAll`: also
 * those that were delivered.
 */
export async function listMissed(
  trx: Knex,
  { endpointId, ownerId }: { readonly endpointId: string; readonly ownerId: string },
  range: { readonly sinceMs: number; readonly untilMs: number; readonly isAll: boolean; readonly limit: number },
): Promise<MissedEvent[]> {
  const { rows } = await trx.raw<{ rows: MissedEvent[] }>(
    `SELECT event_id, min(kind) AS kind, min(subject) AS subject, min(sequence) AS sequence, max(id) AS last_id
     FROM webhook_deliveries
     WHERE endpoint_id = :endpointId AND owner_id = :ownerId AND kind <> 'webhook.test' AND id >= :since AND id < :until
     GROUP BY event_id
     HAVING NOT bool_or(status IN ('pending', 'retrying')) AND (:isAll OR NOT bool_or(status = 'delivered'))
     ORDER BY min(sequence), event_id LIMIT :limit`,
    {
      endpointId,
      ownerId,
      since: idLowerBound(idPrefixes.webhookDelivery, range.sinceMs),
      until: idLowerBound(idPrefixes.webhookDelivery, range.untilMs),
      isAll: range.isAll,
      limit: range.limit,
    },
  );
  return rows;
}

/** Time when the last event of the recoveries of an owner is due; null if no event waits to be recovered. */
export async function findLastRecovery(trx: Knex, ownerId: string): Promise<Date | null> {
  const { rows } = await trx.raw<{ rows: { due_at: Date | null }[] }>(
    `SELECT max(w.due_at) AS due_at FROM webhook_endpoints e JOIN webhook_waiting w ON w.endpoint_id = e.id
     WHERE e.owner_id = :ownerId AND w.lane = 'recovery'`,
    { ownerId },
  );
  return rows[0]?.due_at ?? null;
}

/** Counts the deliveries of all owners that are still to be sent. */
export async function countPending(db: Knex): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: number }[] }>('SELECT count(*)::int AS count FROM webhook_waiting');
  return rows[0]?.count ?? 0;
}
