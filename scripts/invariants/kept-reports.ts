import { slotsOfRun } from './due-slots.js';
import { type HistoryEvents, type HistoryRecord, type HistoryRecordOf, recordsOf, type SlotRunOf } from './history.js';

/** Slots as the database has them, and since when. */
export interface StoredSlots extends SlotRunOf {
  readonly storedAt: number;
}

/**
 * True if a report is about an assignment that the database had forgotten: no one keeps it until the node is assigned
 * that monitor again.
 */
function forgottenFinder(records: readonly HistoryRecord[]) {
  const forgotten = recordsOf({ records, secrets: [] }, 'watch-forgotten');
  const begun = recordsOf({ records, secrets: [] }, 'watch-begun');
  return ({ nodeId, monitorId, at }: HistoryRecordOf<'told'>) =>
    forgotten.some((loss) => {
      if (loss.nodeId !== nodeId || loss.monitorId !== monitorId) return false;
      const again = begun.find(
        (watch) => watch.nodeId === nodeId && watch.monitorId === monitorId && watch.at > loss.at,
      );
      return at < (again?.at ?? Number.POSITIVE_INFINITY);
    });
}

/**
 * Returns one record for each report that is kept. The database stores only the slots that no one reported before, so
 * a report is kept when each of its slots is stored, by it or by another one. A slot that a node's clock puts before the
 * creation of its monitor is stored at that time. `createdAt`: milliseconds since the epoch, by monitor.
 */
export function keptReports(
  records: readonly HistoryRecord[],
  stored: readonly StoredSlots[],
  createdAt: ReadonlyMap<string, number> = new Map(),
): HistoryEvents['kept'][] {
  const storedAt = new Map<string, number>();
  for (const row of stored)
    for (const slotMs of slotsOfRun(row)) storedAt.set(`${row.nodeId} ${row.monitorId} ${slotMs}`, row.storedAt);
  const isForgotten = forgottenFinder(records);
  const reported = new Map(recordsOf({ records, secrets: [] }, 'told').map((report) => [report.subject, report]));
  return [...reported.values()].flatMap((report) => {
    const { subject, nodeId, monitorId } = report;
    if (isForgotten(report)) return [{ subject, nodeId, as: 'superseded' as const, storedAt: 0 }];
    const begin = createdAt.get(monitorId) ?? 0;
    const times = slotsOfRun(report).map((slotMs) => storedAt.get(`${nodeId} ${monitorId} ${Math.max(slotMs, begin)}`));
    if (!times.every((at) => at !== undefined)) return [];
    return [{ subject, nodeId, as: 'superseded' as const, storedAt: Math.max(...times) }];
  });
}
