import type { Knex } from 'knex';
import { publish } from '../../../events/index.js';
import { monitorName, subjectOf } from '../events/event-fields.js';
import type { PublishedMonitor } from './episodes.js';

/** Publishes that a monitor has had no data since an instant, or has data again. */
export function publishNoData(
  trx: Knex,
  monitor: PublishedMonitor,
  { since, isOver }: { readonly since: Date; readonly isOver: boolean },
): Promise<void> {
  const payload = { monitor: monitorName(monitor), since: since.toISOString(), is_over: isOver };
  return publish(trx, { kind: 'monitor.no_data', ...subjectOf(monitor), payload });
}
