import type { Knex } from 'knex';
import { queryNamed } from '../../../db/named.js';
import type { Owner } from '../../../owners/index.js';
import type { EventType } from '../definition/event-type.js';
import { type EventPosition, type EventRow, eventColumns } from './event-store.js';

/** Conditions on the events of an account, joined by AND; undefined matches any. */
export interface EventFilter {
  readonly monitorId?: string | undefined;
  readonly type?: EventType | undefined;
  readonly isOpen?: boolean | undefined;
  readonly isAcked?: boolean | undefined;
  /** A tag of the monitor. */
  readonly tag?: string | undefined;
}

/** A part of the events of an account: those that began within a time, from a position on. */
export interface AccountEventsPage {
  readonly filter: EventFilter;
  /** Null if not narrowed on that side. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** Null to begin with the first. */
  readonly after: EventPosition | null;
  readonly limit: number;
}

const ofMonitor = 'EXISTS (SELECT FROM monitors m WHERE m.id = e.monitor_id AND m.owner_id = :ownerId';

/** Events of all monitors of an owner, the one that began last first. */
export function listAccountEvents(db: Knex, owner: Owner, page: AccountEventsPage): Promise<EventRow[]> {
  const { filter, fromMs, toMs, after, limit } = page;
  const { monitorId, type, isOpen, isAcked, tag } = filter;
  const conditions = [
    'e.owner_id = :ownerId',
    ...(monitorId === undefined ? [] : ['e.monitor_id = :monitorId']),
    ...(type === undefined ? [] : ['e.type = :type']),
    ...(isOpen === undefined ? [] : [isOpen ? 'e.ended_at IS NULL' : 'e.ended_at IS NOT NULL']),
    ...(isAcked === undefined ? [] : [isAcked ? 'e.ack_at IS NOT NULL' : 'e.ack_at IS NULL']),
    ...(owner.isTest ? [`${ofMonitor} AND m.is_test)`] : []),
    ...(tag === undefined ? [] : [`${ofMonitor} AND m.tags @> ARRAY[:tag::text])`]),
    ...(fromMs === null ? [] : ['e.started_at >= :from']),
    ...(toMs === null ? [] : ['e.started_at < :to']),
    ...(after === null ? [] : ['(e.started_at, e.id) < (:afterAt, :afterId)']),
  ].join(' AND ');
  const sql = `SELECT ${eventColumns} FROM monitor_events e WHERE ${conditions}
    ORDER BY e.started_at DESC, e.id DESC LIMIT (SELECT :limit::bigint)`;
  return queryNamed<EventRow>(db, 'monitor-events-of-account', sql, {
    ownerId: owner.id,
    monitorId,
    type,
    tag: tag?.toLowerCase(),
    from: fromMs === null ? null : new Date(fromMs),
    to: toMs === null ? null : new Date(toMs),
    afterAt: after === null ? null : new Date(after.atMs),
    afterId: after?.id,
    limit,
  });
}
