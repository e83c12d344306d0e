import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { MonitorFilter, Owner } from '../store.js';
import { EXPORT_KIND, EXPORT_VERSION, type MonitorExport } from './export-schema.js';
import { listForExport } from './export-store.js';
import { exportView } from './export-view.js';

/** Rows that are read at once: ten thousand in one piece would hold up everybody else. */
const READ_AT_ONCE = 500;

/** All monitors of an owner that a filter leaves, by name, so that two exports can be compared. */
export async function exportMonitors(
  { db, clock }: { readonly db: Knex; readonly clock: Clock },
  owner: Owner,
  filter: MonitorFilter,
): Promise<MonitorExport> {
  const monitors: MonitorExport['monitors'] = [];
  for (let isMore = true; isMore; ) {
    const after = monitors.at(-1)?.name ?? '';
    const rows = await listForExport(db, { owner, filter, after, limit: READ_AT_ONCE });
    monitors.push(...rows.map(exportView));
    isMore = rows.length === READ_AT_ONCE;
  }
  const exportedAt = new Date(clock.now()).toISOString();
  return { kind: EXPORT_KIND, version: EXPORT_VERSION, exported_at: exportedAt, count: monitors.length, monitors };
}
