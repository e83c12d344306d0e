import type { Knex } from 'knex';
import { queryPrepared } from '../../../db/prepared.js';
import { type DeliveryStatus, oldestUnsent } from '../deliveries/delivery-store.js';
import type { EventColumns } from '../deliveries/event-store.js';
import { lockQueues } from '../endpoints/endpoint-store.js';
import type { PayloadForm } from '../kinds/payload.js';
import type { Receiver } from './attempts.js';
import { PER_ENDPOINT, type Places } from './places.js';

// Who may hold what:
//
//   webhook_endpoints    locked first, by everything that hands over, skips or retries deliveries; a claim needs no lock
//   webhook_queues       locked by one claim at a time: so the deliveries of an endpoint that are under way can be counted
//   webhook_waiting      what is still to be sent, written with the log of the delivery by the replica that has the queue locked
//   webhook_leases       what replicas send; a delivery whose lease ran out is free again
//
// New deliveries are claimed in the order of their events: the oldest of each subject, and none while an attempt at it is under way.

/** Time for which a delivery belongs to the replica that claimed it; longer than any attempt takes. */
export const LEASE_MS = 60_000;
/** Age at which a lease that has ended is of no delivery that still waits: its endpoint was deleted, or it was skipped. */
const OLD_MS = 3_600_000;
/** New deliveries of an endpoint that are looked at in one claim, to find different subjects. */
const LOOKED_AT = 64;

/** Delivery to be sent by this replica until its lease ends. */
export interface ClaimedDelivery extends EventColumns, Receiver {
  readonly id: string;
  readonly endpoint_id: string;
  readonly payload: PayloadForm;
  readonly status: DeliveryStatus;
  readonly attempt_count: number;
  readonly created_at: Date;
  readonly leased_until: Date;
  /** True if the last attempt at the endpoint brought no response. */
  readonly is_slow: boolean;
  /** Host name of the endpoint. */
  readonly host: string;
}

export interface ClaimLimits {
  readonly nowMs: number;
  readonly fast: Places;
  /** Limits for endpoints that do not reply. */
  readonly slow: Places;
  /** Endpoints that have places in this replica already; no limit applies to them. */
  readonly known: readonly string[];
  /** Ids of the deliveries of these endpoints that this replica holds. */
  readonly heldOf: (endpointIds: readonly string[]) => readonly string[];
  /** Deliveries of an endpoint that this replica holds at most, those that wait for a place included. */
  readonly mostOf: (endpointId: string) => number;
}

/** Leases of an endpoint that are read at most; it never has as many. */
const MAX_LEASES = 1_000;

/**
 * SQL of the leases of an endpoint that have not ended at the instant $3. In the order of an index, with a limit: PostgreSQL scans the index
 * itself then, which forgets entries of leases that are gone; by a bitmap it read all those of the last minute at each claim.
 */
function leasesOf(endpointId: string): string {
  return `(SELECT delivery_id, leased_until FROM webhook_leases WHERE endpoint_id = ${endpointId} AND leased_until > $3
      ORDER BY leased_until LIMIT ${MAX_LEASES})`;
}

/** SQL that is true if no replica sends a delivery at the instant $3. */
function isFree(table: string, id: string): string {
  return `NOT EXISTS (SELECT FROM webhook_leases w WHERE w.delivery_id = ${table}.${id} AND w.leased_until > $3)`;
}

/** Claims deliveries that are due, of the endpoints that have waited longest. @returns null if no endpoint is due */
export async function claimDeliveries(trx: Knex, limits: ClaimLimits): Promise<ClaimedDelivery[] | null> {
  const { nowMs, heldOf, mostOf } = limits;
  const queues = await lockDueQueues(trx, limits);
  if (queues.length === 0) return null;
  const endpoints = queues.map(({ endpoint_id: id }) => id);
  const slots = queues.map(({ is_slow: isSlow }) => (isSlow ? 1 : PER_ENDPOINT));
  const scope = [endpoints, slots, new Date(nowMs), oldestUnsent(nowMs)];
  const claimed = await queryPrepared<ClaimedDelivery>(trx, CLAIM, [
    ...scope,
    new Date(nowMs + LEASE_MS),
    heldOf(endpoints),
    endpoints.map(mostOf),
  ]);
  await queryPrepared(trx, POSTPONE, scope.slice(0, 3));
  return claimed;
}

function lockDueQueues(trx: Knex, { nowMs, fast, slow, known }: ClaimLimits) {
  const valuesOf = ({ endpoints, busyHosts, left, ofAccount }: Places) => [
    endpoints,
    [...busyHosts],
    [...left.keys()],
    [...left.values()],
    ofAccount,
  ];
  const values = [new Date(nowMs), [...known], ...valuesOf(fast), ...valuesOf(slow)];
  return queryPrepared<{ endpoint_id: string; is_slow: boolean }>(trx, LOCK_DUE, values);
}

/** Due endpoints of each kind that a claim looks at: an account has twenty, so that at least 25 accounts take turns. */
const CANDIDATES = 500;

/**
 * SQL of the due endpoints of one kind, locked, those of the account with the most room first. Its five values are the parameters from
 * `$first` on: endpoints, busy hosts, accounts that have places and how many endpoints more, how many of other accounts.
 */
function dueOf(isSlow: boolean, first: number): string {
  const [endpoints, busyHosts, accounts, left, ofAccount] = [0, 1, 2, 3, 4].map((index) => `$${first + index}`);
  return `SELECT q.endpoint_id, q.is_slow FROM webhook_queues q JOIN (
      SELECT endpoint_id, row_number() OVER (PARTITION BY owner_id ORDER BY due_at) AS turn, room FROM (
        SELECT d.endpoint_id, d.due_at, e.owner_id, coalesce(a.room, ${ofAccount}) AS room
        FROM webhook_queues d JOIN webhook_endpoints e ON e.id = d.endpoint_id
        LEFT JOIN unnest(${accounts}::text[], ${left}::int[]) AS a (owner_id, room) ON a.owner_id = e.owner_id
        WHERE d.due_at <= $1 AND d.is_slow = ${isSlow} AND d.host <> ALL(${busyHosts})
          AND d.endpoint_id <> ALL($2) AND coalesce(a.room, ${ofAccount}) > 0
        ORDER BY d.due_at LIMIT ${CANDIDATES}
      ) candidates
    ) t USING (endpoint_id)
    WHERE t.turn <= t.room AND q.due_at <= $1 AND q.is_slow = ${isSlow}
    ORDER BY t.turn - t.room, q.due_at LIMIT ${endpoints} FOR UPDATE OF q SKIP LOCKED`;
}

// The endpoints that this replica sends to are waited for, in the order of marks: it is marks of its own that have them
// locked, one batch after another, so that skipping would find them locked for as long as it sends.
// $1 now, $2 endpoints that have places
const LOCK_DUE = {
  name: 'webhook-lock-due-queues',
  text: `WITH known AS MATERIALIZED (
      SELECT endpoint_id, is_slow FROM webhook_queues WHERE endpoint_id = ANY($2) AND due_at <= $1
      ORDER BY endpoint_id FOR UPDATE
    ), fast AS (${dueOf(false, 3)}), slow AS (${dueOf(true, 8)})
    SELECT * FROM known UNION ALL SELECT * FROM fast UNION ALL SELECT * FROM slow`,
};

// a statement of its own after the locks: it must see what the claim before this one has committed. Of an endpoint that was
// paused while a replica sent, only what that replica left behind when it died, or gave back, is still due: it is skipped.
// A replica that alone has leases claims more than it sends at once, because it knows how many are under way.
// $1 endpoints, $2 their slots, $3 now, $4 oldest id, $5 end of the lease, $6 deliveries of these endpoints that this replica holds,
// $7 how many of each endpoint it holds at most
const CLAIM = {
  name: 'webhook-claim',
  text: `
  WITH queue AS (
    SELECT q.endpoint_id, CASE WHEN q.slots > 1 AND leased.others = 0 THEN q.most ELSE q.slots END - leased.count AS free
    FROM unnest($1::text[], $2::int[], $7::int[]) AS q (endpoint_id, slots, most) CROSS JOIN LATERAL (
      SELECT count(*)::int AS count, count(*) FILTER (WHERE l.delivery_id <> ALL($6))::int AS others
      FROM ${leasesOf('q.endpoint_id')} l
    ) AS leased
  ), picked AS (
    SELECT queue.endpoint_id, p.id FROM queue CROSS JOIN LATERAL (
      SELECT c.id FROM (
        SELECT n.id, row_number() OVER (ORDER BY n.sequence) AS place, 0 AS lane FROM (
          SELECT d.id, d.sequence, row_number() OVER (PARTITION BY d.subject ORDER BY d.sequence) AS nth FROM (
            SELECT delivery_id AS id, sequence, subject FROM webhook_waiting
            WHERE endpoint_id = queue.endpoint_id AND lane = 'new' ORDER BY sequence LIMIT ${LOOKED_AT}
          ) d
        ) n WHERE n.nth = 1 AND ${isFree('n', 'id')}
        UNION ALL
        SELECT r.id, row_number() OVER (ORDER BY r.due_at), 1 FROM (
          SELECT d.delivery_id AS id, d.due_at FROM webhook_waiting d
          WHERE d.endpoint_id = queue.endpoint_id AND d.lane = 'retry' AND d.due_at <= $3 AND ${isFree('d', 'delivery_id')}
          ORDER BY d.due_at LIMIT greatest(queue.free, 0)
        ) r
        UNION ALL
        SELECT v.id, ${LOOKED_AT} + row_number() OVER (ORDER BY v.due_at), 2 FROM (
          SELECT d.delivery_id AS id, d.due_at FROM webhook_waiting d
          WHERE d.endpoint_id = queue.endpoint_id AND d.lane = 'recovery' AND d.due_at <= $3 AND ${isFree('d', 'delivery_id')}
          ORDER BY d.due_at LIMIT greatest(queue.free, 0)
        ) v
      ) c ORDER BY c.place, c.lane LIMIT greatest(queue.free, 0)
    ) p
  ), skipped AS (
    DELETE FROM webhook_waiting w USING picked p JOIN webhook_endpoints e ON e.id = p.endpoint_id AND e.status <> 'active'
    WHERE w.delivery_id = p.id RETURNING w.delivery_id
  ), ended AS (
    UPDATE webhook_deliveries d SET status = 'skipped', due_at = NULL, finished_at = $3
    FROM skipped s WHERE d.id = s.delivery_id AND d.id >= $4
  ), leased AS (
    INSERT INTO webhook_leases (delivery_id, endpoint_id, leased_until)
    SELECT p.id, p.endpoint_id, $5 FROM picked p JOIN webhook_endpoints e ON e.id = p.endpoint_id AND e.status = 'active'
    ON CONFLICT (delivery_id) DO UPDATE SET leased_until = excluded.leased_until RETURNING delivery_id, leased_until
  )
  SELECT d.id, d.endpoint_id, d.owner_id, d.payload, d.status, d.attempt_count, d.created_at, l.leased_until,
    v.id AS event_id, v.kind, v.sequence, v.is_test, v.at, v.data,
    e.url, e.sealed_headers, e.sealed_secret, e.sealed_previous_secret, e.previous_secret_expires_at,
    q.is_slow, q.host
  FROM leased l JOIN webhook_deliveries d ON d.id = l.delivery_id AND d.id >= $4 JOIN webhook_events v ON v.id = d.event_id
  JOIN webhook_endpoints e ON e.id = d.endpoint_id JOIN webhook_queues q ON q.endpoint_id = e.id
  JOIN webhook_waiting w ON w.delivery_id = d.id
  ORDER BY w.lane = 'recovery', d.sequence`,
};

/** Gives claimed deliveries back that were not sent: they are due again. */
export async function releaseDeliveries(trx: Knex, claimed: readonly ClaimedDelivery[], nowMs: number): Promise<void> {
  const endpointIds = [...new Set(claimed.map(({ endpoint_id: id }) => id))];
  await lockQueues(trx, endpointIds);
  await trx.raw(
    `DELETE FROM webhook_leases l USING unnest(:ids::text[], :leases::timestamptz[]) AS c (id, lease)
     WHERE l.delivery_id = c.id AND l.leased_until = c.lease`,
    { ids: claimed.map(({ id }) => id), leases: claimed.map(({ leased_until: lease }) => lease) },
  );
  await trx.raw('UPDATE webhook_queues SET due_at = least(due_at, :at) WHERE endpoint_id = ANY(:endpointIds)', {
    at: new Date(nowMs),
    endpointIds,
  });
}

/** Deletes what dead replicas have left of endpoints that were deleted, once no one can take it up. */
export async function deleteOrphans(db: Knex, nowMs: number): Promise<void> {
  await db('webhook_leases')
    .where('leased_until', '<', new Date(nowMs - OLD_MS))
    .delete();
  await db.raw(
    `DELETE FROM webhook_waiting w WHERE NOT EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = w.endpoint_id)
       AND NOT EXISTS (SELECT FROM webhook_leases l WHERE l.delivery_id = w.delivery_id)`,
  );
}

// An endpoint whose places are all taken is due again when one is free, which the replica that sends notes; else when a wait ends.
// $1 endpoints, $2 their slots, $3 now
const POSTPONE = {
  name: 'webhook-postpone',
  text: `
  UPDATE webhook_queues q SET due_at = CASE WHEN s.under_way >= s.slots THEN s.first_lease ELSE least(s.first_lease, s.first_wait) END
  FROM (
    SELECT u.endpoint_id, u.slots, l.under_way, l.first_lease, least(
      (SELECT d.due_at FROM webhook_waiting d WHERE d.endpoint_id = u.endpoint_id AND d.lane = 'retry' AND ${isFree('d', 'delivery_id')}
         ORDER BY d.due_at LIMIT 1),
      (SELECT d.due_at FROM webhook_waiting d WHERE d.endpoint_id = u.endpoint_id AND d.lane = 'recovery' AND ${isFree('d', 'delivery_id')}
         ORDER BY d.due_at LIMIT 1)
    ) AS first_wait
    FROM unnest($1::text[], $2::int[]) AS u (endpoint_id, slots) CROSS JOIN LATERAL (
      SELECT count(*) AS under_way, min(leased_until) AS first_lease FROM ${leasesOf('u.endpoint_id')} r
    ) l
  ) s WHERE q.endpoint_id = s.endpoint_id`,
};
