import type { Knex } from 'knex';
import type { EventSpan } from './recent-health.js';
import type { Owner } from './store.js';
import type { EventType } from './transition.js';

/** An event as it is stored. */
export interface EventRow {
  readonly id: string;
  readonly monitor_id: string;
  readonly type: EventType;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly affected_nodes: readonly string[];
  readonly reason: string | null;
  readonly is_false_positive: boolean;
  readonly ack_at: Date | null;
  readonly acknowledged_by: string | null;
  readonly resolved_by: string | null;
  readonly notes: string | null;
  readonly backfilled: boolean;
  readonly disputed: boolean;
  readonly created_at: Date;
}

/** An event that begins. */
export interface NewEvent {
  readonly id: string;
  readonly monitorId: string;
  readonly type: EventType;
  readonly startedAt: Date;
  readonly affectedNodes: readonly string[];
  readonly reason: string | null;
}

/** Kinds of what happens to monitors, as webhooks have them. */
export type MonitorHappening =
  | 'monitor.down'
  | 'monitor.degraded'
  | 'monitor.up'
  | 'monitor.resolved'
  | 'monitor.paused'
  | 'monitor.resumed';

/** Opens an event. */
export async function insertEvent(trx: Knex, event: NewEvent): Promise<void> {
  await trx('monitor_events').insert({
    id: event.id,
    monitor_id: event.monitorId,
    type: event.type,
    started_at: event.startedAt,
    affected_nodes: event.affectedNodes,
    reason: event.reason,
  });
}

/** Closes the open event of a monitor; null: none was open. It never ends before it began. */
export async function closeEvent(trx: Knex, monitorId: string, endedAt: Date): Promise<EventRow | null> {
  const { rows } = await trx.raw<{ rows: EventRow[] }>(
    `UPDATE monitor_events SET ended_at = greatest(started_at, ?) WHERE monitor_id = ? AND ended_at IS NULL RETURNING *`,
    [endedAt, monitorId],
  );
  return rows[0] ?? null;
}

/** Closes an event by hand; null: it is not open. It never ends before it began. */
export async function closeEventById(
  trx: Knex,
  id: string,
  { at, by }: { readonly at: Date; readonly by: string },
): Promise<EventRow | null> {
  const { rows } = await trx.raw<{ rows: EventRow[] }>(
    `UPDATE monitor_events SET ended_at = greatest(started_at, ?), resolved_by = ? WHERE id = ? AND ended_at IS NULL RETURNING *`,
    [at, by, id],
  );
  return rows[0] ?? null;
}

/** Writes what people say of an event. @returns the event as it is then */
export async function updateEvent(
  trx: Knex,
  id: string,
  changes: Partial<Pick<EventRow, 'ack_at' | 'acknowledged_by' | 'is_false_positive' | 'notes'>>,
): Promise<EventRow> {
  const [row] = await trx('monitor_events').where({ id }).update(changes).returning('*');
  return row;
}

/** Writes what happened where it is taken from for webhooks. */
export async function insertHappening(
  trx: Knex,
  happening: {
    readonly kind: MonitorHappening;
    readonly userId: string;
    readonly isTest: boolean;
    readonly monitorId: string;
    readonly payload: object;
  },
): Promise<void> {
  const { kind, userId, isTest, monitorId, payload } = happening;
  await trx('outbox').insert({
    kind,
    user_id: userId,
    is_test: isTest,
    subject: monitorId,
    payload: JSON.stringify(payload),
  });
}

/** What nobody took in so long is no news. */
const HAPPENINGS_KEPT = "interval '30 days'";

/** Forgets what happened long ago. */
export async function deleteOldHappenings(db: Knex): Promise<void> {
  await db.raw(`DELETE FROM outbox WHERE created_at < now() - ${HAPPENINGS_KEPT}`);
}

/** Events of a monitor that people were told of, that lasted at an instant or later. */
export async function listSpansSince(db: Knex, monitorId: string, since: Date): Promise<EventSpan[]> {
  const { rows } = await db.raw<{ rows: Pick<EventRow, 'type' | 'started_at' | 'ended_at'>[] }>(
    "SELECT type, started_at, ended_at FROM monitor_events WHERE monitor_id = ? AND coalesce(ended_at, 'infinity') > ? AND was_told AND NOT disputed",
    [monitorId, since],
  );
  return rows.map(({ type, started_at, ended_at }) => {
    return { type, startedAtMs: started_at.getTime(), endedAtMs: ended_at?.getTime() ?? null };
  });
}

/** What sorts events: when they began, and their ids. */
export interface EventPosition {
  readonly atMs: number;
  readonly id: string;
}

/** Which events of a monitor: those that began within a time, from a position on or after so many. */
export interface EventsPage {
  readonly monitorId: string;
  /** Null: not narrowed on that side. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** Null: `offset` counts from the first. */
  readonly after: EventPosition | null;
  readonly offset: number;
  readonly limit: number;
}

/** A page of a monitor's events, the one that began last first, and how many there are on all pages. */
export async function listEvents(db: Knex, page: EventsPage): Promise<{ rows: EventRow[]; total: number }> {
  const { monitorId, fromMs, toMs, after, offset, limit } = page;
  const within = db('monitor_events').where({ monitor_id: monitorId });
  if (fromMs !== null) within.where('started_at', '>=', new Date(fromMs));
  if (toMs !== null) within.where('started_at', '<', new Date(toMs));
  const rows = within.clone().orderBy('started_at', 'desc').orderBy('id', 'desc').limit(limit);
  if (after === null) rows.offset(offset);
  else rows.whereRaw('(started_at, id) < (?, ?)', [new Date(after.atMs), after.id]);
  const [found, [counted]] = await Promise.all([rows, within.count<{ count: string }[]>()]);
  return { rows: found, total: Number(counted?.count ?? 0) };
}

/** An event of an owner, or null. */
export async function findEvent(db: Knex, id: string, owner: Owner): Promise<EventRow | null> {
  const { rows } = await db.raw<{ rows: EventRow[] }>(selectOwned(owner), { id, userId: owner.userId });
  return rows[0] ?? null;
}

/** As `findEvent`, nobody else's until the transaction ends. */
export async function lockEvent(trx: Knex, id: string, owner: Owner): Promise<EventRow | null> {
  const { rows } = await trx.raw<{ rows: EventRow[] }>(`${selectOwned(owner)} FOR NO KEY UPDATE OF e`, {
    id,
    userId: owner.userId,
  });
  return rows[0] ?? null;
}

function selectOwned(owner: Owner): string {
  return `SELECT e.* FROM monitor_events e JOIN monitors m ON m.id = e.monitor_id
     WHERE e.id = :id AND m.user_id = :userId ${owner.isTest ? 'AND m.is_test' : ''}`;
}
