import type { Knex } from 'knex';
import { writeJsonRows } from '../db/json-rows.js';
import type { EventOf, NewEvent } from './event.js';
import type { EventKind } from './kinds/index.js';

// NOTE: a mark is a row that says what is still to be done. It is written with the event by one statement, so that an
// event that commits late is found late, never skipped, and an event without marks was handled by every consumer. Events
// stay for an hour, with marks or without, for readers of streams.

/** Writes events, in their order, and the marks of all consumers of their kinds. */
export async function insertEvents(trx: Knex, events: readonly (NewEvent & { readonly id: string })[]): Promise<void> {
  const rows = events.map(({ id, kind, ownerId, isTest, subject, payload }, index) => ({
    index,
    event_id: id,
    kind,
    owner_id: ownerId,
    is_test: isTest,
    subject,
    payload,
  }));
  await writeJsonRows(rows, (json) =>
    trx.raw(
      `WITH published AS (
         INSERT INTO outbox (event_id, kind, owner_id, is_test, subject, payload)
         SELECT event_id, kind, owner_id, is_test, subject, payload FROM jsonb_to_recordset(?) AS e(
           index int, event_id text, kind text, owner_id text, is_test boolean, subject text, payload jsonb
         ) ORDER BY index RETURNING id, kind, subject
       ) INSERT INTO outbox_marks (consumer, subject, event)
         SELECT s.consumer, p.subject, p.id FROM published p JOIN event_subscriptions s USING (kind)`,
      [json],
    ),
  );
}

/** A consumer of a kind. */
export interface Subscription {
  readonly consumer: string;
  readonly kind: string;
}

/** Announces subscriptions: those that are new get every event that is published from now on. */
export async function upsertSubscriptions(db: Knex, subscriptions: readonly Subscription[]): Promise<void> {
  if (subscriptions.length === 0) return;
  await db.raw(
    `INSERT INTO event_subscriptions (consumer, kind, announced_at)
     SELECT consumer, kind, clock_timestamp() FROM unnest(?::text[], ?::text[]) AS s (consumer, kind) ORDER BY consumer, kind
     ON CONFLICT (consumer, kind) DO UPDATE SET announced_at = excluded.announced_at`,
    [subscriptions.map(({ consumer }) => consumer), subscriptions.map(({ kind }) => kind)],
  );
}

/** A week, so that a version that is rolled back finds what its consumers missed. */
const KEPT_WITHOUT_ANNOUNCEMENT = "interval '7 days'";

/** Deletes subscriptions that no replica has announced for a week, with their marks. */
export async function deleteStaleSubscriptions(db: Knex): Promise<void> {
  await db.raw(
    `WITH stale AS (
       DELETE FROM event_subscriptions WHERE announced_at < now() - ${KEPT_WITHOUT_ANNOUNCEMENT} RETURNING consumer, kind
     ) DELETE FROM outbox_marks m USING stale s, outbox o
       WHERE m.event = o.id AND m.consumer = s.consumer AND o.kind = s.kind`,
  );
}

/** Names of those consumers that have an event that is due. */
export async function listWithDue(db: Knex, consumers: readonly string[]): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `SELECT name FROM unnest(?::text[]) AS name WHERE EXISTS (
       SELECT FROM outbox_marks WHERE consumer = name AND dead_at IS NULL AND due_at <= clock_timestamp()
     )`,
    [[...consumers]],
  );
  return rows.map(({ name }) => name);
}

/** An event that a consumer is to handle. */
export interface ClaimedEvent {
  readonly event: EventOf<EventKind>;
  /** Stored number of attempts: those that failed, and those that were begun and never ended. */
  readonly attempts: number;
  /** Number of this attempt, from 1. */
  readonly attempt: number;
}

interface ClaimedRow {
  readonly id: number;
  readonly event_id: string;
  readonly kind: EventKind;
  readonly owner_id: string;
  readonly is_test: boolean;
  readonly subject: string;
  readonly payload: never;
  readonly created_at: Date;
  readonly attempts: number;
}

/**
 * Claims events that are due to a consumer, the first of each subject, oldest first; no other transaction can take them
 * until this one ends. Kinds that this replica does not know are left to one that does. `among`: sequences of events, of
 * which alone it claims; null for any.
 */
export async function claimEvents(
  trx: Knex,
  consumer: string,
  {
    kinds,
    limit,
    among,
  }: { readonly kinds: readonly string[]; readonly limit: number; readonly among: readonly number[] | null },
): Promise<ClaimedEvent[]> {
  // the table is nearly always empty, and planned as such: OFFSET and num_nulls leave no other way to an earlier event than the
  // primary key, since a join by consumer alone would read all that waits for each event
  const { rows } = await trx.raw<{ rows: ClaimedRow[] }>(
    `SELECT o.id, o.event_id, o.kind, o.owner_id, o.is_test, o.subject, o.payload, o.created_at, m.attempts
     FROM outbox_marks m JOIN outbox o ON o.id = m.event
     WHERE m.consumer = :consumer AND m.dead_at IS NULL AND m.due_at <= clock_timestamp() AND o.kind = ANY(:kinds)
       AND (:among::bigint[] IS NULL OR m.event = ANY(:among))
       AND NOT EXISTS (
         SELECT FROM outbox_marks e
         WHERE e.consumer = m.consumer AND e.subject = m.subject AND e.event < m.event AND num_nulls(e.dead_at) = 1 OFFSET 0
       )
     ORDER BY m.event LIMIT :limit FOR UPDATE OF m SKIP LOCKED`,
    { consumer, kinds: [...kinds], limit, among: among === null ? null : [...among] },
  );
  return rows.map(
    ({ event_id: id, id: sequence, owner_id: ownerId, is_test: isTest, created_at: at, attempts, ...own }) => ({
      event: { ...own, id, sequence, ownerId, isTest, at },
      attempts,
      attempt: attempts + 1,
    }),
  );
}

/**
 * Marks of a consumer for rows `b (subject, event)`, which this transaction has locked, as `found`. One look-up by the
 * primary key for each: planned for an empty table, a join would compare all of them with all that wait.
 */
const FOUND_BY_KEY = `CROSS JOIN LATERAL (
  SELECT ctid FROM outbox_marks WHERE consumer = ? AND subject = b.subject AND event = b.event OFFSET 0
) AS found`;

/** Notes that a consumer has handled these events. */
export async function deleteMarks(trx: Knex, consumer: string, events: readonly EventOf<EventKind>[]): Promise<void> {
  await trx.raw(
    `DELETE FROM outbox_marks m USING (
       SELECT found.ctid FROM unnest(?::text[], ?::bigint[]) AS b (subject, event) ${FOUND_BY_KEY}
     ) AS own WHERE m.ctid = own.ctid`,
    [events.map(({ subject }) => subject), events.map(({ sequence }) => sequence), consumer],
  );
}

/**
 * Counts attempts before they are made, in the transaction that claimed their events, and leaves each event to this
 * process for `waitMs`. @returns the events as they are stored then
 */
export async function beginAttempts(
  trx: Knex,
  consumer: string,
  claimed: readonly (ClaimedEvent & { readonly waitMs: number })[],
): Promise<ClaimedEvent[]> {
  await trx.raw(
    `UPDATE outbox_marks m SET attempts = m.attempts + 1, due_at = clock_timestamp() + own.wait_ms * interval '1 millisecond'
     FROM (
       SELECT found.ctid, b.wait_ms FROM unnest(?::text[], ?::bigint[], ?::float8[]) AS b (subject, event, wait_ms) ${FOUND_BY_KEY}
     ) AS own WHERE m.ctid = own.ctid`,
    [...keysOf(claimed), claimed.map(({ waitMs }) => waitMs), consumer],
  );
  return claimed.map(({ event, attempt }) => ({ event, attempts: attempt, attempt }));
}

/** Locks those of these events that were not handled or begun meanwhile; no other transaction can take them until this one ends. */
export async function lockBegun(
  trx: Knex,
  consumer: string,
  begun: readonly ClaimedEvent[],
): Promise<readonly ClaimedEvent[]> {
  // one look-up by the primary key for each, whatever the planner knows of the table: see claimEvents
  const { rows } = await trx.raw<{ rows: { event: number }[] }>(
    `SELECT m.event FROM unnest(?::text[], ?::bigint[], ?::int[]) AS b (subject, event, attempts) CROSS JOIN LATERAL (
       SELECT event FROM outbox_marks WHERE consumer = ? AND subject = b.subject AND event = b.event
         AND attempts = b.attempts AND num_nulls(dead_at) = 1 FOR UPDATE SKIP LOCKED
     ) AS m`,
    [...keysOf(begun), begun.map(({ attempts }) => attempts), consumer],
  );
  const held = new Set(rows.map(({ event }) => event));
  return begun.filter(({ event }) => held.has(event.sequence));
}

function keysOf(claimed: readonly ClaimedEvent[]): [string[], number[]] {
  return [claimed.map(({ event }) => event.subject), claimed.map(({ event }) => event.sequence)];
}

/**
 * Notes that an attempt failed, and why; The event is set aside if `waitMs` is null. Does nothing if another attempt was made
 * since.
 */
export async function putOffMark(
  db: Knex,
  consumer: string,
  { event, attempts, attempt }: ClaimedEvent,
  { waitMs, reason }: { readonly waitMs: number | null; readonly reason: string },
): Promise<void> {
  await db.raw(
    `UPDATE outbox_marks SET attempts = :attempt, last_error = :reason,
       due_at = clock_timestamp() + coalesce(:waitMs, 0) * interval '1 millisecond',
       dead_at = CASE WHEN :waitMs::float8 IS NULL THEN clock_timestamp() END
     WHERE consumer = :consumer AND subject = :subject AND event = :sequence AND attempts = :attempts`,
    { consumer, subject: event.subject, sequence: event.sequence, attempts, attempt, waitMs, reason },
  );
}

/** Time for which an event is kept at least: readers of streams continue from it. */
export const KEPT_MS = 3_600_000;

/** Deletes every old event that no consumer waits for. */
export async function deleteUnawaited(db: Knex): Promise<void> {
  await db.raw(
    `DELETE FROM outbox o WHERE created_at < clock_timestamp() - ? * interval '1 millisecond'
     AND NOT EXISTS (SELECT FROM outbox_marks WHERE event = o.id)`,
    [KEPT_MS],
  );
}

const DEAD_KEPT = "interval '30 days'";

/** Deletes marks of events that were set aside long ago. */
export async function deleteDeadMarks(db: Knex): Promise<void> {
  await db.raw(`DELETE FROM outbox_marks WHERE dead_at < now() - ${DEAD_KEPT}`);
}

export interface ConsumerBacklog {
  readonly consumer: string;
  /** Events to be handled. */
  readonly pending: number;
  /** Events set aside. */
  readonly dead: number;
  /** Age of the oldest pending one; 0 when there is none. */
  readonly lagSeconds: number;
}

/** Backlog of each of these consumers. */
export async function countBacklogs(db: Knex, consumers: readonly string[]): Promise<ConsumerBacklog[]> {
  const { rows } = await db.raw<{ rows: { name: string; pending: number; dead: number; lag: number }[] }>(
    `SELECT name, count(*) FILTER (WHERE m.event IS NOT NULL AND dead_at IS NULL)::int AS pending,
       count(*) FILTER (WHERE dead_at IS NOT NULL)::int AS dead,
       coalesce(greatest(0, extract(epoch FROM clock_timestamp() - min(o.created_at) FILTER (WHERE dead_at IS NULL))), 0)::float8 AS lag
     FROM unnest(?::text[]) AS name LEFT JOIN outbox_marks m ON m.consumer = name LEFT JOIN outbox o ON o.id = m.event
     GROUP BY name`,
    [[...consumers]],
  );
  return rows.map(({ name: consumer, pending, dead, lag }) => ({ consumer, pending, dead, lagSeconds: lag }));
}
