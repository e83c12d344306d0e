import { idLowerBound, idPrefixes } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { literalOf } from '../../../db/literal.js';
import { queryNamed } from '../../../db/named.js';
import { type PreparedStatement, queryPrepared } from '../../../db/prepared.js';
import { type Owner, ofOwner, ownedBy } from '../../../owners/index.js';
import { type AttemptEntry, type DeliveryRow, deliveryColumns, type ListedDelivery } from './delivery.js';
import type { EndReason } from './needed.js';
import type { DeliveryStatus } from './next-state.js';
import { LONGEST_LIFE_MS } from './schedule.js';
import type { ShownRequest } from './shown-request.js';

/** Ids from here on may belong to messages that are still tried: the others are in partitions that need no look. */
export function oldestWaiting(nowMs: number): string {
  return oldestOfDay(dayOf(nowMs));
}

const DAY_MS = 86_400_000;

/** Day since the epoch, of statements whose text has `oldestLiteral`. */
export function dayOf(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS);
}

/** `oldestWaiting` as an SQL literal: with a parameter, each claim would be planned again over the partitions of ninety days. */
export function oldestLiteral(day: number): string {
  return `'${oldestOfDay(day)}'`;
}

function oldestOfDay(day: number): string {
  return idLowerBound(idPrefixes.alertDelivery, day * DAY_MS - LONGEST_LIFE_MS);
}

/** Deliveries that one statement stores: building a greater one would keep the event loop busy. */
const ROWS_AT_ONCE = 100;

export async function insertDeliveries(trx: Knex, rows: readonly DeliveryRow[]): Promise<void> {
  if (rows.length === 0) return;
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
    await trx('alert_deliveries').insert(rows.slice(from, from + ROWS_AT_ONCE).map(toColumns));
}

function toColumns({ attempts, ...row }: DeliveryRow) {
  return { ...row, attempts: JSON.stringify(attempts) };
}

/**
 * Condition on a delivery `d` that no earlier one of its thread waits: the start of an alert is sent before its end, also if both were queued in
 * the same millisecond. `oldest`: `oldestWaiting` in SQL. OFFSET keeps the planner from joining all that waits for the channel in place of
 * looking the thread up.
 */
export const isFirst = (oldest: string) => `NOT EXISTS (
  SELECT FROM alert_deliveries e WHERE e.channel_id = d.channel_id AND e.finished_at IS NULL AND e.id >= ${oldest}
    AND (e.created_at, e.priority, e.id) < (d.created_at, d.priority, d.id)
    AND e.thread = d.thread AND e.recipient IS NOT DISTINCT FROM d.recipient OFFSET 0)`;

/** When the next delivery of a channel is due; null if none waits. */
export async function findNextDue(trx: Knex, channelId: string, nowMs: number): Promise<Date | null> {
  const [next] = await queryPrepared<{ due: Date | null }>(trx, nextDueOn(dayOf(nowMs)), [channelId]);
  return next?.due ?? null;
}

const nextDueOn = (day: number): PreparedStatement => ({
  name: 'alerts-next-due',
  text: `SELECT d.next_attempt_at AS due FROM alert_deliveries d
    WHERE d.channel_id = $1 AND d.finished_at IS NULL AND d.id >= ${oldestLiteral(day)} AND ${isFirst(oldestLiteral(day))}
    ORDER BY d.next_attempt_at LIMIT 1`,
  day,
});

/** Change of a delivery after an attempt, or instead of one. */
export interface DeliveryChange {
  readonly status: DeliveryStatus;
  readonly reason: EndReason | null;
  readonly attempts: readonly AttemptEntry[];
  readonly tries: number;
  readonly isPlain: boolean;
  readonly mayHaveArrived: boolean;
  readonly providerId: string | null;
  readonly nextAttemptAtMs: number | null;
  readonly finishedAtMs: number | null;
  /** Request of the attempt; null if that of an earlier one stays. */
  readonly request: ShownRequest | null;
}

/** Changes a delivery that has not ended. @returns false if it has */
export async function updateDelivery(trx: Knex, id: string, change: DeliveryChange): Promise<boolean> {
  const changed = await queryPrepared(trx, UPDATE, [
    id,
    change.status,
    change.reason,
    JSON.stringify(change.attempts),
    change.tries,
    change.isPlain,
    change.mayHaveArrived,
    change.providerId,
    dateOf(change.nextAttemptAtMs),
    dateOf(change.finishedAtMs),
    change.request === null ? null : JSON.stringify(change.request),
  ]);
  return changed.length === 1;
}

const UPDATE = {
  name: 'alerts-update-delivery',
  text: `UPDATE alert_deliveries SET status = $2, reason = $3, attempts = $4, tries = $5, is_plain = $6, may_have_arrived = $7,
      provider_id = $8, next_attempt_at = $9, finished_at = $10, request = coalesce($11::jsonb, request)
    WHERE id = $1 AND finished_at IS NULL RETURNING id`,
};

/** Number of deliveries that wait for their first attempt, by channel and recipient. */
export async function countUntried(
  db: Knex,
  channelIds: readonly string[],
  nowMs: number,
): Promise<readonly { readonly channel_id: string; readonly recipient: string | null; readonly count: number }[]> {
  const { rows } = await db.raw<{ rows: { channel_id: string; recipient: string | null; count: number }[] }>(
    `SELECT channel_id, recipient, count(*)::int AS count FROM alert_deliveries
     WHERE channel_id = ANY(:channelIds) AND finished_at IS NULL AND tries = 0 AND id >= :oldest GROUP BY channel_id, recipient`,
    { channelIds: [...channelIds], oldest: oldestWaiting(nowMs) },
  );
  return rows;
}

/** Drops everything that waits for a channel. @returns how many deliveries there were */
export async function dropWaiting(
  trx: Knex,
  channelId: string,
  { reason, nowMs }: { readonly reason: EndReason; readonly nowMs: number },
): Promise<number> {
  return trx('alert_deliveries')
    .where({ channel_id: channelId, finished_at: null })
    .where('id', '>=', oldestWaiting(nowMs))
    .update({ status: 'dropped', reason, next_attempt_at: null, finished_at: new Date(nowMs) });
}

/** A delivery with the request of its last attempt; null if none was sent. */
export interface SentDelivery extends DeliveryRow {
  readonly request: ShownRequest | null;
}

/** Delivery of an owner, or null. */
export async function findDelivery(db: Knex, id: string, owner: Owner): Promise<SentDelivery | null> {
  const columns = [...deliveryColumns, 'request'].join(', ');
  const sql = `SELECT ${columns} FROM alert_deliveries WHERE id = :id AND ${ownedBy(owner)}`;
  const [row] = await queryNamed<SentDelivery>(db, 'alert-delivery', sql, { id, ownerId: owner.id });
  return row ?? null;
}

/** Conditions of a list of deliveries; undefined matches any. */
export interface DeliveryFilter {
  readonly channelId: string | undefined;
  readonly alertId: string | undefined;
  readonly status: DeliveryStatus | undefined;
  readonly kind: string | undefined;
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** Id of the last delivery of the previous page; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
}

/** Part of a list of deliveries. `isCut`: there are more, which were left out because the others are large. */
export interface ListedDeliveries {
  readonly rows: ListedDelivery[];
  readonly isCut: boolean;
}

/** Bytes of texts and attempts of a list, after which it ends: a delivery may have ninety kilobytes of them. */
const MOST_LISTED_BYTES = 1024 * 1024;

const LISTED = deliveryColumns.filter((column) => column !== 'message').join(', ');

const ABOUT_ALERT = 'alert_ids @> ARRAY[:alertId]';

/** Newest deliveries of an owner that fulfil `conditions`, as many as are not too large together. */
async function listNewest(
  db: Knex,
  conditions: readonly string[],
  bindings: Readonly<Record<string, string | number | null>> & { readonly ownerId: string; readonly limit: number },
): Promise<ListedDeliveries> {
  // those about an alert are few: without OFFSET the planner reads all of the owner in order, and keeps those few
  const found = `SELECT ${LISTED} FROM alert_deliveries WHERE ${[ofOwner(), ...conditions].join(' AND ')} ${conditions.includes(ABOUT_ALERT) ? 'OFFSET 0' : ''}`;
  const rows = await queryNamed<ListedDelivery & { found: number }>(
    db,
    'alert-deliveries',
    `SELECT ${LISTED}, found FROM (
       SELECT ${LISTED}, count(*) OVER ()::int AS found, sum(octet_length(attempts::text) + octet_length(text))
         OVER (ORDER BY id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
       FROM (SELECT ${LISTED} FROM (${found}) found ORDER BY id DESC LIMIT (SELECT :limit::bigint)) newest
     ) counted WHERE coalesce(bytes_before, 0) < :mostBytes ORDER BY id DESC`,
    { ...bindings, mostBytes: MOST_LISTED_BYTES },
  );
  return { rows: rows.map(({ found: _found, ...row }) => row), isCut: rows.length < (rows[0]?.found ?? 0) };
}

/** Deliveries of an owner, newest first. */
export async function listDeliveries(db: Knex, owner: Owner, filter: DeliveryFilter): Promise<ListedDeliveries> {
  const { channelId, alertId, status, kind, fromMs, toMs, after, limit } = filter;
  const conditions = [
    ownedBy(owner),
    ...(channelId === undefined ? [] : ['channel_id = :channelId']),
    ...(alertId === undefined ? [] : [ABOUT_ALERT]),
    // no parameter, which a plan for any parameters would not look up in the partial index
    ...(status === undefined ? [] : [`status = ${literalOf(status)}`]),
    ...(kind === undefined ? [] : ['kind = :kind']),
    ...(fromMs === null ? [] : ['id >= :from']),
    ...(toMs === null ? [] : ['id < :to']),
    ...(after === null ? [] : ['id < :after']),
  ];
  const bound = (instantMs: number | null) =>
    instantMs === null ? null : idLowerBound(idPrefixes.alertDelivery, Math.max(0, instantMs));
  return listNewest(db, conditions, {
    ownerId: owner.id,
    channelId: channelId ?? null,
    alertId: alertId ?? null,
    kind: kind ?? null,
    from: bound(fromMs),
    to: bound(toMs),
    after,
    limit,
  });
}

/** Deliveries of one message to several channels. */
export async function listGroup(db: Knex, messageGroup: string, nowMs: number): Promise<DeliveryRow[]> {
  return db('alert_deliveries')
    .where({ message_group: messageGroup })
    .where('id', '>=', oldestWaiting(nowMs))
    .orderBy('id')
    .select<DeliveryRow[]>(...deliveryColumns);
}

/** Newest deliveries about an alert, oldest first: at most 200, and as many as are not too large together. */
export async function listDeliveriesOfAlert(
  db: Knex,
  { alertId, ownerId, sinceMs }: { readonly alertId: string; readonly ownerId: string; readonly sinceMs: number },
): Promise<ListedDelivery[]> {
  const conditions = [ABOUT_ALERT, 'id >= :oldest'];
  const oldest = idLowerBound(idPrefixes.alertDelivery, sinceMs);
  return (await listNewest(db, conditions, { alertId, ownerId, oldest, limit: 200 })).rows.reverse();
}

/** Those of the alerts about which a message of its own went to the address of the account in place of its channels. */
export async function listFallbacks(
  db: Knex,
  { alertIds, sinceMs }: { readonly alertIds: readonly string[]; readonly sinceMs: number },
): Promise<ReadonlySet<string>> {
  const { rows } = await db.raw<{ rows: { alert_ids: string[] }[] }>(
    `SELECT alert_ids FROM alert_deliveries
     WHERE alert_ids && :alertIds AND is_fallback AND kind <> 'digest' AND id >= :oldest`,
    { alertIds: [...alertIds], oldest: idLowerBound(idPrefixes.alertDelivery, sinceMs) },
  );
  return new Set(rows.flatMap(({ alert_ids: ids }) => ids));
}

/** Digest that went to the address of an account in place of its channel. */
export type DigestFallback = Pick<DeliveryRow, 'thread' | 'alert_ids' | 'alert_count'>;

/** Digests of threads that went to the address of their account. */
export async function listDigestFallbacks(
  db: Knex,
  {
    ownerIds,
    threads,
    sinceMs,
  }: { readonly ownerIds: readonly string[]; readonly threads: readonly string[]; readonly sinceMs: number },
): Promise<readonly DigestFallback[]> {
  return db('alert_deliveries')
    .whereIn('owner_id', ownerIds)
    .where('id', '>=', idLowerBound(idPrefixes.alertDelivery, sinceMs))
    .where({ is_fallback: true, kind: 'digest' })
    .whereIn('thread', threads)
    .select<DigestFallback[]>('thread', 'alert_ids', 'alert_count');
}

/** True if channels have accepted messages about the start of all of these alerts of an owner, or may have. */
export async function areNotified(
  db: Knex,
  {
    alertIds,
    ownerId,
    sinceMs,
  }: { readonly alertIds: readonly string[]; readonly ownerId: string; readonly sinceMs: number },
): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { are_notified: boolean }[] }>(
    `SELECT count(DISTINCT alert.id) = :count AS are_notified FROM alert_deliveries d, unnest(d.alert_ids) AS alert(id)
     WHERE d.owner_id = :ownerId AND d.alert_ids && :alertIds AND alert.id = ANY(:alertIds) AND d.id >= :oldest AND NOT d.is_fallback
       AND d.kind NOT IN ('resolved', 'acknowledged') AND (d.status = 'sent' OR d.may_have_arrived)`,
    {
      alertIds: [...alertIds],
      ownerId,
      count: alertIds.length,
      oldest: idLowerBound(idPrefixes.alertDelivery, sinceMs),
    },
  );
  return rows[0]?.are_notified === true;
}

/** Condition: delivery `e` is another one than `w` to the same recipient, and arrived or may have arrived. */
const IS_EARLIER = `e.id >= :oldest AND e.id <> w.id AND e.channel_id = w.channel_id
  AND e.recipient IS NOT DISTINCT FROM w.recipient AND (e.status = 'sent' OR e.may_have_arrived)`;

/** Condition: delivery `e` is another one than `w`, and not about an end. */
const NOTIFIES_FIRST = "e.id >= :oldest AND e.id <> w.id AND e.kind NOT IN ('resolved', 'acknowledged')";

/**
 * Those of the deliveries whose recipient got an earlier message about the same alerts on the channel, other than about their end, or may
 * have got it. Digests of one thread are about the same alerts, also where a delivery does not name them all. A channel that is notified
 * of ends alone (`on_recovery.channels`) had no message before, and follows those of other channels.
 */
export async function listFollowing(
  db: Knex,
  { ids, sinceMs }: { readonly ids: readonly string[]; readonly sinceMs: number },
): Promise<ReadonlySet<string>> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `SELECT w.id FROM alert_deliveries w WHERE w.id = ANY(:ids) AND (EXISTS (
       SELECT FROM alert_deliveries e WHERE e.alert_ids && w.alert_ids AND ${NOTIFIES_FIRST} AND ${IS_EARLIER}
     ) OR w.kind = 'digest' AND EXISTS (
       SELECT FROM alert_deliveries e WHERE e.owner_id = w.owner_id AND e.thread = w.thread AND ${IS_EARLIER} AND e.kind = 'digest'
     ) OR w.kind <> 'acknowledged' AND NOT EXISTS (
       SELECT FROM alert_deliveries e WHERE ${NOTIFIES_FIRST} AND e.channel_id = w.channel_id
         AND (e.alert_ids && w.alert_ids OR e.owner_id = w.owner_id AND e.thread = w.thread)
     ) AND EXISTS (
       SELECT FROM alert_deliveries e WHERE e.alert_ids && w.alert_ids AND ${NOTIFIES_FIRST} AND (e.status = 'sent' OR e.may_have_arrived)
     ))`,
    { ids: [...ids], oldest: idLowerBound(idPrefixes.alertDelivery, sinceMs) },
  );
  return new Set(rows.map(({ id }) => id));
}

/** Channels on which all messages about an alert were dropped since it was silenced, by alert. */
export async function listSilenced(
  db: Knex,
  { alertIds, sinceMs }: { readonly alertIds: readonly string[]; readonly sinceMs: number },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await db.raw<{ rows: { alert_id: string; channels: string[] }[] }>(
    `SELECT a.id AS alert_id, array_agg(DISTINCT d.channel_id) AS channels
     FROM unnest(:alertIds::text[]) a(id)
     JOIN alert_deliveries d ON d.alert_ids @> ARRAY[a.id] COLLATE "C" AND d.id >= :oldest AND d.reason = 'silenced'
     WHERE NOT EXISTS (
       SELECT FROM alert_deliveries e WHERE e.alert_ids @> ARRAY[a.id] COLLATE "C" AND e.id >= :oldest
         AND e.channel_id = d.channel_id AND (e.status <> 'dropped' OR e.may_have_arrived)
     ) GROUP BY a.id`,
    { alertIds: [...alertIds], oldest: idLowerBound(idPrefixes.alertDelivery, sinceMs) },
  );
  return new Map(rows.map((row) => [row.alert_id, row.channels]));
}

/** Number of deliveries that wait, by type. */
export async function countWaiting(db: Knex, nowMs: number): Promise<Record<string, number>> {
  const { rows } = await db.raw<{ rows: { type: string; count: number }[] }>(
    `SELECT type, count(*)::int AS count FROM alert_deliveries
     WHERE finished_at IS NULL AND id >= :oldest GROUP BY type`,
    { oldest: oldestWaiting(nowMs) },
  );
  return Object.fromEntries(rows.map(({ type, count }) => [type, count]));
}

/** Number of deliveries created since an instant that were given up, by type. */
export async function countDead(db: Knex, sinceMs: number): Promise<Record<string, number>> {
  const { rows } = await db.raw<{ rows: { type: string; count: number }[] }>(
    "SELECT type, count(*)::int AS count FROM alert_deliveries WHERE status = 'dead' AND id >= :since GROUP BY type",
    { since: idLowerBound(idPrefixes.alertDelivery, sinceMs) },
  );
  return Object.fromEntries(rows.map(({ type, count }) => [type, count]));
}

export async function deleteDeliveriesOf(trx: Knex, ownerId: string): Promise<void> {
  await trx('alert_deliveries').where({ owner_id: ownerId }).delete();
  await trx('alert_lanes').where({ owner_id: ownerId }).delete();
  await trx('alert_fallbacks').where({ owner_id: ownerId }).delete();
  await trx('alert_usage').where({ owner_id: ownerId }).delete();
}

function dateOf(instantMs: number | null): Date | null {
  return instantMs === null ? null : new Date(instantMs);
}
