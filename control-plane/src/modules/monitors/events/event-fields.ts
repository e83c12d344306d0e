import type { MonitorRow } from '../definition/store.js';
import type { EventRow } from './event-store.js';

/** Owner and subject of an event about a monitor. */
export function subjectOf({ id, owner_id, is_test }: Pick<MonitorRow, 'id' | 'owner_id' | 'is_test'>) {
  return { ownerId: owner_id, isTest: is_test, subject: id };
}

type NamedMonitor = Pick<MonitorRow, 'id' | 'name' | 'type' | 'target' | 'tags' | 'group_id'>;

/** Fields that name a monitor in notifications, and by which their recipients choose. */
export function monitorName({ id, name, type, target, tags, group_id }: NamedMonitor) {
  return { id, name, type, target, tags: [...tags], group_id };
}

/** Fields of an event in notifications. */
export function eventFields(event: EventRow) {
  const { id, type, started_at, ended_at, resolved_at, affected_nodes, reason } = event;
  return {
    id,
    type,
    started_at: started_at.toISOString(),
    ended_at: ended_at?.toISOString() ?? null,
    resolved_at: resolved_at?.toISOString() ?? null,
    affected_nodes: [...affected_nodes],
    reason,
  };
}
