import type { Knex } from 'knex';
import type { EventKind } from '../../events/index.js';

/** An event of the outbox. */
export interface EventRow {
  readonly id: number;
  readonly event_id: string;
  readonly kind: EventKind;
  readonly owner_id: string;
  readonly is_test: boolean;
  readonly payload: never;
  readonly created_at: Date;
}

/** Time for which a transaction may write before it commits: sequences and times are given before commits. */
export const OVERLAP_MS = 30_000;

/** Most events that one statement reads. */
export const READ_AT_ONCE = 1_000;
const REPLAYED_AT_ONCE = 100;

const COLUMNS = 'id, event_id, kind, owner_id, is_test, payload, created_at';

/** Clock of the database, by which events have their times. */
export async function readTime(db: Knex): Promise<Date> {
  const { rows } = await db.raw<{ rows: [{ at: Date }] }>('SELECT clock_timestamp() AS at');
  return rows[0].at;
}

/** Reads events of owners after a time, those not in `seen`, in their order. */
export async function readEvents(
  db: Knex,
  { ownerIds, since, seen }: { ownerIds: readonly string[]; since: Date; seen: readonly number[] },
): Promise<EventRow[]> {
  const { rows } = await db.raw<{ rows: EventRow[] }>(
    `SELECT ${COLUMNS} FROM outbox
     WHERE owner_id = ANY(:ownerIds) AND created_at > :since AND id <> ALL(:seen::bigint[])
     ORDER BY id LIMIT ${READ_AT_ONCE}`,
    { ownerIds: [...ownerIds], since, seen: [...seen] },
  );
  return rows;
}

/** Sequences of the events of an owner after a time. */
export async function listSequences(db: Knex, ownerId: string, since: Date) {
  return db('outbox')
    .where({ owner_id: ownerId })
    .where('created_at', '>', since)
    .select<Pick<EventRow, 'id' | 'created_at'>[]>('id', 'created_at');
}

/** Events that a stream may show. */
export interface Selection {
  readonly ownerIds: readonly string[];
  readonly kinds: ReadonlySet<string>;
  /** True for test keys: events of test resources alone. */
  readonly isTest: boolean;
}

/** An event after which a stream continues. */
export interface Mark {
  readonly id: number;
  readonly created_at: Date;
  /** Events of the stream after it, at most `most` + 1. */
  readonly following: number;
}

/** The event of an id, if it happened in the last `withinMs`; null if it did not. */
export async function findMark(
  db: Knex,
  eventId: string,
  { selection, withinMs, most }: { selection: Selection; withinMs: number; most: number },
): Promise<Mark | null> {
  const { rows } = await db.raw<{ rows: Mark[] }>(
    `SELECT m.id, m.created_at, (
       SELECT count(*)::int FROM (
         SELECT FROM outbox o WHERE o.id > m.id AND ${SELECTED} LIMIT :most + 1
       ) AS following
     ) AS following
     FROM outbox m WHERE m.event_id = :eventId AND m.owner_id = ANY(:ownerIds)
       AND m.created_at > clock_timestamp() - :withinMs * interval '1 millisecond'`,
    { ...valuesOf(selection), eventId, withinMs, most },
  );
  return rows[0] ?? null;
}

/** Reads the events of a stream from a little before a mark, page by page. */
export async function* replayEvents(db: Knex, mark: Mark, selection: Selection): AsyncGenerator<EventRow> {
  for (let after = 0; ; ) {
    const { rows } = await db.raw<{ rows: EventRow[] }>(
      `SELECT ${COLUMNS} FROM outbox o
       WHERE ${SELECTED} AND created_at > :since::timestamptz - ${OVERLAP_MS} * interval '1 millisecond'
         AND id > :after AND id <> :id
       ORDER BY id LIMIT ${REPLAYED_AT_ONCE}`,
      { ...valuesOf(selection), since: mark.created_at, after, id: mark.id },
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < REPLAYED_AT_ONCE) return;
    after = last.id;
  }
}

const SELECTED = 'o.owner_id = ANY(:ownerIds) AND o.kind = ANY(:kinds) AND (o.is_test OR NOT :isTest)';

function valuesOf({ ownerIds, kinds, isTest }: Selection) {
  return { ownerIds: [...ownerIds], kinds: [...kinds], isTest };
}
