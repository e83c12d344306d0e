import type { Knex } from 'knex';
import { lastEnd, occurrenceOf, occurrencesWithin } from './maintenance.js';
import type { Interval } from './uptime.js';
import { readWindows, timesOf, type WindowRow } from './window-store.js';

/** What decides which maintenance windows a monitor is in. */
export interface Maintained {
  readonly id: string;
  readonly user_id: string;
  readonly is_test: boolean;
  readonly group_id: string | null;
  readonly tags: readonly string[];
}

/** When monitors are under maintenance. */
export interface MaintenanceReads {
  /** Parts of the range in which each monitor is, by its id; windows that touch `range` are cut to it. */
  within(db: Knex, monitors: readonly Maintained[], range: Interval): Promise<ReadonlyMap<string, readonly Interval[]>>;
}

/** How monitors stand to maintenance windows. */
export interface MaintenanceNow {
  readonly isNow: boolean;
  /** When the last one ended; null: there was none. */
  readonly endedAtMs: number | null;
}

/** Which monitors are inside a maintenance window at an instant, and when the last one of each ended; by id. */
export type MaintenanceAt = (
  db: Knex,
  monitors: readonly Maintained[],
  nowMs: number,
) => Promise<ReadonlyMap<string, MaintenanceNow>>;

/** Reads when monitors are under maintenance, of the windows as they are written now. */
export const maintenanceReads: MaintenanceReads & { readonly now: MaintenanceAt } = {
  async within(db, monitors, range) {
    const found = await readByMonitor(db, monitors, range.toMs, (window) =>
      occurrencesWithin(timesOf(window), range).map(({ fromMs, toMs }) => ({
        fromMs: Math.max(fromMs, range.fromMs),
        toMs: Math.min(toMs, range.toMs),
      })),
    );
    return mapValues(found, (intervals) => intervals.flat());
  },
  async now(db, monitors, nowMs) {
    const found = await readByMonitor(db, monitors, nowMs + 1, (window) => standingOf(window, nowMs));
    return mapValues(found, (standings) => ({
      isNow: standings.some(({ isNow }) => isNow),
      endedAtMs: standings.reduce<number | null>((last, { endedAtMs }) => latest(last, endedAtMs), null),
    }));
  },
};

/** Whether a monitor is one of those that a window is about. NOTE: as `IN_SCOPE` of window-store.ts */
export function covers(
  window: Pick<WindowRow, 'user_id' | 'is_test' | 'scope_type' | 'scope_ids'>,
  monitor: Maintained,
) {
  if (window.user_id !== monitor.user_id || (window.is_test && !monitor.is_test)) return false;
  const { scope_type, scope_ids } = window;
  switch (scope_type) {
    case 'monitor':
      return scope_ids.includes(monitor.id);
    case 'group':
      return monitor.group_id !== null && scope_ids.includes(monitor.group_id);
    case 'tag':
      return monitor.tags.some((tag) => scope_ids.includes(tag));
    case 'all':
      return true;
  }
}

function standingOf(window: WindowRow, nowMs: number): MaintenanceNow {
  const times = timesOf(window);
  // a turn that a replica noticed has come for all: the clock of this one may be behind
  const atMs = Math.max(nowMs, window.turned_at?.getTime() ?? nowMs);
  return { isNow: occurrenceOf(times, atMs) !== null, endedAtMs: lastEnd(times, atMs) };
}

/** What `read` makes of each window that a monitor is in, by the monitor's id; a window is read once, however many are in it. */
async function readByMonitor<T>(
  db: Knex,
  monitors: readonly Maintained[],
  beforeMs: number,
  read: (window: WindowRow) => T,
): Promise<ReadonlyMap<string, readonly T[]>> {
  if (monitors.length === 0) return new Map();
  const windows = await readWindows(db, [...new Set(monitors.map(({ user_id }) => user_id))], new Date(beforeMs));
  const found = new Map<string, T[]>();
  for (const window of windows) {
    const covered = monitors.filter((monitor) => covers(window, monitor));
    if (covered.length === 0) continue;
    const what = read(window);
    for (const { id } of covered) found.set(id, [...(found.get(id) ?? []), what]);
  }
  return found;
}

function mapValues<K, V, W>(map: ReadonlyMap<K, V>, change: (value: V) => W): Map<K, W> {
  return new Map([...map].map(([key, value]) => [key, change(value)]));
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
