import type { Knex } from 'knex';
import { queryPrepared } from '../../../db/prepared.js';
import { type Owner, ownedBy } from '../../../owners/index.js';
import type { EventType } from '../definition/event-type.js';
import { type EarlierType, type EventSpan, phasesOf } from './event-phases.js';

/** Stored event. */
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
  readonly resolved_at: Date | null;
  readonly notes: string | null;
  readonly backfilled: boolean;
  readonly disputed: boolean;
  readonly earlier_types: readonly EarlierType[];
  readonly created_at: Date;
}

export interface NewEvent {
  readonly id: string;
  readonly monitorId: string;
  readonly type: EventType;
  readonly startedAt: Date;
  readonly affectedNodes: readonly string[];
  readonly reason: string | null;
}

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

/** Closes the open event of a monitor, never before its begin; null if none was open. */
export async function closeEvent(trx: Knex, monitorId: string, endedAt: Date): Promise<EventRow | null> {
  return (await closeEvents(trx, [monitorId], endedAt))[0] ?? null;
}

/** As `closeEvent`, for several monitors; returns the events that were open. */
export async function closeEvents(trx: Knex, monitorIds: readonly string[], endedAt: Date): Promise<EventRow[]> {
  const { rows } = await trx.raw<{ rows: EventRow[] }>(
    `UPDATE monitor_events SET ended_at = greatest(started_at, ?) WHERE monitor_id = ANY(?) AND ended_at IS NULL RETURNING *`,
    [endedAt, [...monitorIds]],
  );
  return rows;
}

/** Changes the type of the open event of a monitor from an instant on; null if none is open. */
export async function changeEventType(
  trx: Knex,
  monitorId: string,
  change: Pick<NewEvent, 'type' | 'affectedNodes' | 'reason'> & { readonly at: Date },
): Promise<EventRow | null> {
  const { rows } = await trx.raw<{ rows: EventRow[] }>(
    `UPDATE monitor_events SET type = :type, affected_nodes = :affectedNodes, reason = :reason,
       told_type = nullif(coalesce(told_type, type), :type),
       earlier_types = earlier_types || jsonb_build_array(jsonb_build_object('type', type, 'until', :until::text))
     WHERE monitor_id = :monitorId AND ended_at IS NULL RETURNING *`,
    { ...change, affectedNodes: [...change.affectedNodes], monitorId, until: change.at.toISOString() },
  );
  return rows[0] ?? null;
}

/** Records that the present type of the open event of a monitor was notified; null if none is open. */
export async function markEventNotified(trx: Knex, monitorId: string): Promise<EventRow | null> {
  const { rows } = await trx.raw<{ rows: EventRow[] }>(
    'UPDATE monitor_events SET told_type = NULL WHERE monitor_id = ? AND ended_at IS NULL RETURNING *',
    [monitorId],
  );
  return rows[0] ?? null;
}

/** Marks an event as resolved by a user; it stays open. Null if the event is not open, or already resolved. */
export async function resolveEvent(
  trx: Knex,
  id: string,
  { at, by }: { readonly at: Date; readonly by: string },
): Promise<EventRow | null> {
  const { rows } = await trx.raw<{ rows: EventRow[] }>(
    `UPDATE monitor_events SET resolved_at = greatest(started_at, ?), resolved_by = ?
     WHERE id = ? AND ended_at IS NULL AND resolved_at IS NULL RETURNING *`,
    [at, by, id],
  );
  return rows[0] ?? null;
}

/** Writes the columns of an event that users set. @returns the event after the change */
export async function updateEvent(
  trx: Knex,
  id: string,
  changes: Partial<Pick<EventRow, 'ack_at' | 'acknowledged_by' | 'is_false_positive' | 'notes'>>,
): Promise<EventRow> {
  const [row] = await trx('monitor_events').where({ id }).update(changes).returning('*');
  return row;
}

/** Notified events of a monitor that lasted at an instant or later. */
export async function listSpansSince(db: Knex, monitorId: string, since: Date): Promise<EventSpan[]> {
  const { rows } = await db.raw<{ rows: Pick<EventRow, 'type' | 'started_at' | 'ended_at' | 'earlier_types'>[] }>(
    "SELECT type, started_at, ended_at, earlier_types FROM monitor_events WHERE monitor_id = ? AND coalesce(ended_at, 'infinity') > ? AND was_told AND NOT disputed",
    [monitorId, since],
  );
  return rows.flatMap(({ type, started_at, ended_at, earlier_types: earlier }) =>
    phasesOf({ type, startedAtMs: started_at.getTime(), endedAtMs: ended_at?.getTime() ?? null, earlier }),
  );
}

/** Position of an event in lists: its begin and its id. */
export interface EventPosition {
  readonly atMs: number;
  readonly id: string;
}

/** Selection of events of a monitor: those that began within a range, from a position on or after `offset` events. */
export interface EventsPage {
  readonly monitorId: string;
  /** Null if not narrowed on that side. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** Null if `offset` counts from the first. */
  readonly after: EventPosition | null;
  readonly offset: number;
  readonly limit: number;
}

/** Columns of an event `e`. */
export const eventColumns = `e.id, e.monitor_id, e.type, e.started_at, e.ended_at, e.affected_nodes, e.reason, e.is_false_positive, e.ack_at,
  e.acknowledged_by, e.resolved_by, e.resolved_at, e.notes, e.backfilled, e.disputed, e.earlier_types, e.created_at`;

const WITHIN = `e.monitor_id = $1 AND e.started_at >= coalesce($2::timestamptz, '-infinity')
  AND e.started_at < coalesce($3::timestamptz, 'infinity')`;

// subqueries in LIMIT and OFFSET: a plan that serves every page
const LIST_EVENTS = {
  name: 'monitor-events-list',
  text: `SELECT counted.total, page.*
    FROM (SELECT count(*)::int AS total FROM monitor_events e WHERE ${WITHIN}) counted
    LEFT JOIN LATERAL (
      SELECT ${eventColumns} FROM monitor_events e
      WHERE ${WITHIN} AND (e.started_at, e.id) < (coalesce($4::timestamptz, 'infinity'), coalesce($5::text, ''))
      ORDER BY e.started_at DESC, e.id DESC LIMIT (SELECT $6::bigint) OFFSET (SELECT $7::bigint)
    ) page ON true
    ORDER BY page.started_at DESC, page.id DESC`,
};

/** Page of a monitor's events, the one that began last first, and the number of all. */
export async function listEvents(db: Knex, page: EventsPage): Promise<{ rows: EventRow[]; total: number }> {
  const { monitorId, fromMs, toMs, after, offset, limit } = page;
  const range = [fromMs, toMs, after?.atMs ?? null].map((ms) => (ms === null ? null : new Date(ms)));
  const values = [monitorId, ...range, after?.id ?? null, limit, after === null ? offset : 0];
  const found = await queryPrepared<{ readonly total: number } & (EventRow | { readonly id: null })>(
    db,
    LIST_EVENTS,
    values,
  );
  // a page beyond the end is one row with the number alone
  const rows = found.flatMap((row) => (row.id === null ? [] : [row]));
  return { rows, total: found[0]?.total ?? 0 };
}

/** Event of an owner; null if there is no such event. */
export async function findEvent(db: Knex, id: string, owner: Owner): Promise<EventRow | null> {
  const statement = {
    name: owner.isTest ? 'monitor-event-test' : 'monitor-event',
    text: `SELECT ${eventColumns} FROM monitor_events e JOIN monitors m ON m.id = e.monitor_id
      WHERE e.id = $1 AND ${ownedBy(owner, 'm', '$2')}`,
  };
  const [row] = await queryPrepared<EventRow>(db, statement, [id, owner.id]);
  return row ?? null;
}

/** Same as `findEvent`, locked until the transaction ends. */
export async function lockEvent(trx: Knex, id: string, owner: Owner): Promise<EventRow | null> {
  const { rows } = await trx.raw<{ rows: EventRow[] }>(
    `SELECT e.* FROM monitor_events e JOIN monitors m ON m.id = e.monitor_id
     WHERE e.id = :id AND ${ownedBy(owner, 'm')} FOR NO KEY UPDATE OF e`,
    { id, ownerId: owner.id },
  );
  return rows[0] ?? null;
}
