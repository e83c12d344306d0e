import type { EventRow } from './event-store.js';
import type { MonitorRow } from './store.js';

/** How a monitor is named in what is told of it. */
export function monitorName({ id, name, type, target }: Pick<MonitorRow, 'id' | 'name' | 'type' | 'target'>) {
  return { id, name, type, target };
}

/** An event as it is told. */
export function eventNews(event: EventRow) {
  const { id, type, started_at, ended_at, affected_nodes, reason } = event;
  return {
    id,
    type,
    started_at: started_at.toISOString(),
    ended_at: ended_at?.toISOString() ?? null,
    affected_nodes,
    reason,
  };
}
