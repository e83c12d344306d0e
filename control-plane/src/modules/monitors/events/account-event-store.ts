import type { Knex } from 'knex';
import type { Owner } from '../../../owners/index.js';
import type { EventType } from '../definition/event-type.js';
import type { EventPosition, EventRow } from './event-store.js';

/** Conditions on the events of an account, joined by AND; undefined: any. */
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
  /** Null: not narrowed on that side. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** Null: from the first. */
  readonly after: EventPosition | null;
  readonly limit: number;
}

/** Events of all monitors of an owner, the one that began last first. */
export async function listAccountEvents(db: Knex, owner: Owner, page: AccountEventsPage): Promise<EventRow[]> {
  const { filter, fromMs, toMs, after, limit } = page;
  const { monitorId, type, isOpen, isAcked, tag } = filter;
  const query = db('monitor_events AS e').select<EventRow[]>('e.*').where('e.owner_id', owner.id);
  if (monitorId !== undefined) query.where('e.monitor_id', monitorId);
  if (type !== undefined) query.where('e.type', type);
  if (isOpen !== undefined) query.whereRaw(isOpen ? 'e.ended_at IS NULL' : 'e.ended_at IS NOT NULL');
  if (isAcked !== undefined) query.whereRaw(isAcked ? 'e.ack_at IS NOT NULL' : 'e.ack_at IS NULL');
  if (owner.isTest || tag !== undefined) query.join('monitors AS m', 'm.id', 'e.monitor_id');
  if (owner.isTest) query.whereRaw('m.is_test');
  if (tag !== undefined) query.whereRaw('m.tags @> ARRAY[?]', [tag.toLowerCase()]);
  if (fromMs !== null) query.where('e.started_at', '>=', new Date(fromMs));
  if (toMs !== null) query.where('e.started_at', '<', new Date(toMs));
  if (after !== null) query.whereRaw('(e.started_at, e.id) < (?, ?)', [new Date(after.atMs), after.id]);
  return query.orderBy('e.started_at', 'desc').orderBy('e.id', 'desc').limit(limit);
}
