import { restoreFinder } from './delivered-rows.js';
import { dueSlots, slotsOfRun } from './due-slots.js';
import { type History, type HistoryRecordOf, recordsOf, type WatchOf } from './history.js';
import type { Invariant } from './invariant.js';

/**
 * A slot that was due less than this before its assignment ended may be lost with the agent's process; at the end it
 * may still run.
 */
const LATE_MS = 15_000;

/**
 * I3. Each slot that was due is in the database once, as a check or as missed. Excused is what a spool declared as dropped,
 * what was lost with a spool, and what a node had just begun when it was assigned something else.
 */
export const slotsReportedOnce: Invariant = {
  id: 'I3',
  says: 'each due slot of a monitor is one check or one gap with its reason, and assigned monitors are checked',
  evidence: ['watch-begun'],
  check: (history) => [...reportedTwice(history), ...neverReported(history), ...unwatched(history)],
};

/** One monitor on one node that answers for its slots, from and to. */
interface Watch extends WatchOf {
  readonly generation: number;
  readonly intervalMs: number;
  readonly afterMs: number;
  readonly firstMs?: number;
  /** End of the assignment; null for the end of the run. */
  readonly endedAt: number | null;
}

function watchesOf(history: History): Watch[] {
  const open = new Map<string, Watch>();
  const ended: Watch[] = [];
  for (const record of history.records) {
    if (record.type === 'watch-forgotten') open.delete(keyOf(record));
    if (record.type !== 'watch-begun' && record.type !== 'watch-ended') continue;
    const watch = open.get(keyOf(record));
    if (watch !== undefined) ended.push({ ...watch, endedAt: record.at });
    if (record.type === 'watch-begun') open.set(keyOf(record), { ...record, endedAt: null });
    else open.delete(keyOf(record));
  }
  return [...ended, ...open.values()];
}

/** Number of rows of each slot in the database, by monitor and node. */
function storedSlots(history: History): Map<string, Map<number, number>> {
  const stored = new Map<string, Map<number, number>>();
  for (const run of recordsOf(history, 'slots')) {
    const counts = stored.get(keyOf(run)) ?? new Map<number, number>();
    stored.set(keyOf(run), counts);
    for (const slotMs of slotsOfRun(run)) counts.set(slotMs, (counts.get(slotMs) ?? 0) + 1);
  }
  return stored;
}

function reportedTwice(history: History): string[] {
  return [...storedSlots(history)].flatMap(([key, counts]) =>
    [...counts]
      .filter(([, count]) => count > 1)
      .map(([slotMs, count]) => `${describe(key, slotMs)} is stored ${count} times`),
  );
}

function neverReported(history: History): string[] {
  const stored = storedSlots(history);
  const endMs = history.records.at(-1)?.at ?? 0;
  const missing = watchesOf(history).flatMap((watch) =>
    dueSlots(watch, watch.afterMs, (watch.endedAt ?? endMs) - LATE_MS)
      .map((slotMs) => reportedAs(watch, slotMs))
      .filter((slotMs) => stored.get(keyOf(watch))?.has(slotMs) !== true)
      .map((slotMs) => ({ watch, slotMs })),
  );
  const reports = reportFinder(history);
  const isLostWithSpool = spoolLosses(history);
  /** Reports that were made and are gone, by node: each takes a number of those declared as dropped. */
  const gone = new Map<string, Map<unknown, string>>();
  for (const { watch, slotMs } of missing) {
    const found = reports(watch, slotMs);
    if (found.some(isLostWithSpool)) continue;
    const ofNode = gone.get(watch.nodeId) ?? new Map<unknown, string>();
    gone.set(watch.nodeId, ofNode);
    const says = `${describe(keyOf(watch), slotMs)} was ${found.length === 0 ? 'due and never reported' : 'reported and is not stored'}`;
    ofNode.set(found[0]?.subject ?? `${keyOf(watch)} ${slotMs}`, says);
  }
  return [...gone].flatMap(([nodeId, lost]) => {
    const declared = declaredBy(history, nodeId);
    return lost.size <= declared
      ? []
      : [...lost.values()].map((says) => `${says}; ${nodeId} declared ${declared} as dropped`);
  });
}

/** The first check of all is reported at its real time. */
function reportedAs({ firstMs, intervalMs }: Watch, slotMs: number): number {
  const isFirst = firstMs !== undefined && slotMs <= firstMs && firstMs < slotMs + intervalMs;
  return isFirst ? firstMs : slotMs;
}

/** Finds what agents reported of a slot. */
function reportFinder(history: History) {
  const reported = new Map<string, HistoryRecordOf<'told'>[]>();
  for (const report of recordsOf(history, 'told')) {
    for (const slotMs of slotsOfRun(report)) {
      const key = `${keyOf(report)} ${slotMs}`;
      reported.set(key, [...(reported.get(key) ?? []), report]);
    }
  }
  return (watch: WatchOf, slotMs: number) => reported.get(`${keyOf(watch)} ${slotMs}`) ?? [];
}

/**
 * True if a report was in a spool that was lost afterwards where no one could notice, or was also in what the
 * database lost.
 */
function spoolLosses(history: History) {
  const isRestoredAway = restoreFinder(history);
  const losses = recordsOf(history, 'spool-lost');
  const rollbacks = recordsOf(history, 'database-rolled-back');
  return (report: HistoryRecordOf<'told'>) =>
    isRestoredAway(report) ||
    (losses.some(({ nodeId, at }) => nodeId === report.nodeId && at >= report.at) &&
      rollbacks.some(({ at }) => at >= report.at));
}

function declaredBy(history: History, nodeId: string): number {
  return recordsOf(history, 'gap')
    .filter((gap) => gap.nodeId === nodeId && gap.lane === 'check')
    .reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

/** Assignments that a node does not watch at the end under their current generation. */
function unwatched(history: History): string[] {
  const open = new Map(
    watchesOf(history)
      .filter(({ endedAt }) => endedAt === null)
      .map((watch) => [keyOf(watch), watch.generation]),
  );
  return recordsOf(history, 'assigned')
    .filter((assignment) => open.get(keyOf(assignment)) !== assignment.generation)
    .map(({ nodeId, monitorId, generation }) => `${nodeId} does not watch ${monitorId} of generation ${generation}`);
}

function keyOf({ nodeId, monitorId }: WatchOf): string {
  return `${monitorId} on ${nodeId}`;
}

function describe(key: string, slotMs: number): string {
  return `slot ${new Date(slotMs).toISOString()} of ${key}`;
}
