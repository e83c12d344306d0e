import type { Knex } from 'knex';
import { Slices } from '../../../runtime/slices.js';
import type { Interval } from '../definition/interval.js';
import {
  clockSearches,
  lastEnd,
  occurrenceOf,
  occurrencesAtMost,
  occurrencesWithin,
  type WindowTimes,
} from './maintenance.js';
import { readWindows, timesOf, type WindowRow } from './window-store.js';

/** Fields that decide which maintenance windows a monitor is in. */
export interface Maintained {
  readonly id: string;
  readonly owner_id: string;
  readonly is_test: boolean;
  readonly group_id: string | null;
  readonly tags: readonly string[];
}

/** Reads when monitors are under maintenance. */
export interface MaintenanceReads {
  /**
   * Parts of the range in which each monitor is, by its id: a list for each window, in its order and cut to the range. Works
   * in slices, until the signal is aborted. @throws TooManyOccurrencesError
   */
  within(db: Knex, monitors: readonly Maintained[], range: Interval, signal?: AbortSignal): Promise<PartsByMonitor>;

  /** Begins to read the windows of an owner; the function that is returned does as `within` for monitors of that owner. */
  reading(db: Knex, ownerId: string, range: Interval): (monitors: readonly Maintained[]) => Promise<PartsByMonitor>;
}

/** Parts of a range, a list for each window, by id of the monitor. */
export type PartsByMonitor = ReadonlyMap<string, readonly (readonly Interval[])[]>;

/** Present maintenance of a monitor. */
export interface MaintenanceNow {
  readonly isNow: boolean;
  /** End of the present window, of several that of the last; null if there is none. */
  readonly untilMs: number | null;
  /** End of the last window; null if none has ended. */
  readonly endedAtMs: number | null;
}

/** Reads which monitors are inside a maintenance window at an instant, and when the last window of each ended; by id. */
export type MaintenanceAt = (
  db: Knex,
  monitors: readonly Maintained[],
  nowMs: number,
) => Promise<ReadonlyMap<string, MaintenanceNow>>;

/** Greatest number of occurrences computed for a response, of all windows together. */
export const MAX_OCCURRENCES = 20_000;

/** Error for windows with more occurrences in a range than are computed for a response. */
export class TooManyOccurrencesError extends Error {
  override readonly name = 'TooManyOccurrencesError';
  constructor(readonly count: number) {
    super(`${count} occurrences of maintenance windows`);
  }
}

/** Steps for a window without its occurrences, and for a change of its clocks. */
const WINDOW_STEPS = 10;
const SEARCH_STEPS = 250;

/** Reads when monitors are under maintenance, from the windows as defined now. */
export const maintenanceReads: MaintenanceReads & { readonly now: MaintenanceAt } = {
  async within(db, monitors, range, signal) {
    const windows = await readOf(db, monitors, range.toMs);
    return partsWithin(windows, monitors, range, signal);
  },
  reading(db, ownerId, range) {
    const windows = readWindows(db, [ownerId], new Date(range.toMs));
    // it may be that no one waits for it
    windows.catch(() => {});
    return async (monitors) => partsWithin(await windows, monitors, range);
  },
  async now(db, monitors, nowMs) {
    const slices = new Slices();
    const covered = await coveredBy(await readOf(db, monitors, nowMs + 1), monitors, slices);
    const found = await byMonitor(covered, async (window) => {
      const searches = clockSearches(timesOf(window));
      const standing = standingOf(window, nowMs);
      await slices.spend(WINDOW_STEPS + SEARCH_STEPS * (clockSearches(timesOf(window)) - searches));
      return standing;
    });
    return mapValues(found, (standings) => ({
      isNow: standings.some(({ isNow }) => isNow),
      untilMs: standings.reduce<number | null>((last, { untilMs }) => latest(last, untilMs), null),
      endedAtMs: standings.reduce<number | null>((last, { endedAtMs }) => latest(last, endedAtMs), null),
    }));
  },
};

/** Test for monitors in the scope of a window. NOTE: same as `IN_SCOPE` of window-store.ts */
export function coverageOf({
  owner_id,
  is_test,
  scope_type,
  scope_ids,
}: Pick<WindowRow, 'owner_id' | 'is_test' | 'scope_type' | 'scope_ids'>): (monitor: Maintained) => boolean {
  const ids = new Set(scope_ids);
  const isNamed: Record<WindowRow['scope_type'], (monitor: Maintained) => boolean> = {
    monitor: ({ id }) => ids.has(id),
    group: ({ group_id }) => group_id !== null && ids.has(group_id),
    tag: ({ tags }) => tags.some((tag) => ids.has(tag)),
    all: () => true,
  };
  return (monitor) => owner_id === monitor.owner_id && (monitor.is_test || !is_test) && isNamed[scope_type](monitor);
}

async function computeWithin(window: WindowTimes, range: Interval, slices: Slices): Promise<Interval[]> {
  const found: Interval[] = [];
  let searches = clockSearches(window);
  await slices.spend(WINDOW_STEPS);
  for (const { fromMs, toMs } of occurrencesWithin(window, range)) {
    found.push({ fromMs: Math.max(fromMs, range.fromMs), toMs: Math.min(toMs, range.toMs) });
    const turn = slices.spend(1 + SEARCH_STEPS * (clockSearches(window) - searches));
    searches = clockSearches(window);
    if (turn !== null) await turn;
  }
  return found;
}

function standingOf(window: WindowRow, nowMs: number): MaintenanceNow {
  const times = timesOf(window);
  // a turn that one replica noticed applies to all: the clock of this one may be behind
  const atMs = Math.max(nowMs, window.turned_at?.getTime() ?? nowMs);
  const occurrence = occurrenceOf(times, atMs);
  return { isNow: occurrence !== null, untilMs: occurrence?.toMs ?? null, endedAtMs: lastEnd(times, atMs) };
}

/** Window with those of the given monitors in its scope, at least one. */
interface Covered {
  readonly window: WindowRow;
  readonly monitorIds: readonly string[];
}

async function partsWithin(
  windows: readonly WindowRow[],
  monitors: readonly Maintained[],
  range: Interval,
  signal?: AbortSignal,
): Promise<PartsByMonitor> {
  const slices = new Slices(signal);
  const covered = await coveredBy(windows, monitors, slices);
  const count = covered.reduce((sum, { window }) => sum + occurrencesAtMost(timesOf(window), range), 0);
  if (count > MAX_OCCURRENCES) throw new TooManyOccurrencesError(count);
  return byMonitor(covered, (window) => computeWithin(timesOf(window), range, slices));
}

/** Windows of the owners of monitors that began before an instant. */
async function readOf(db: Knex, monitors: readonly Maintained[], beforeMs: number): Promise<readonly WindowRow[]> {
  if (monitors.length === 0) return [];
  return readWindows(db, [...new Set(monitors.map(({ owner_id }) => owner_id))], new Date(beforeMs));
}

/** Windows that have any of the given monitors in their scope. */
async function coveredBy(
  windows: readonly WindowRow[],
  monitors: readonly Maintained[],
  slices: Slices,
): Promise<Covered[]> {
  const byOwner = new Map<string, Maintained[]>();
  for (const monitor of monitors) addTo(byOwner, monitor.owner_id, monitor);
  const covered: Covered[] = [];
  for (const window of windows) {
    const own = byOwner.get(window.owner_id) ?? [];
    await slices.spend(WINDOW_STEPS + window.scope_ids.length + own.length);
    const monitorIds = own.filter(coverageOf(window)).map(({ id }) => id);
    if (monitorIds.length > 0) covered.push({ window, monitorIds });
  }
  return covered;
}

/** Results of `compute` for each window that a monitor is in, by id of the monitor; computed once per window. */
async function byMonitor<T>(
  covered: readonly Covered[],
  compute: (window: WindowRow) => Promise<T>,
): Promise<ReadonlyMap<string, readonly T[]>> {
  const found = new Map<string, T[]>();
  for (const { window, monitorIds } of covered) {
    const what = await compute(window);
    for (const id of monitorIds) addTo(found, id, what);
  }
  return found;
}

function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function mapValues<K, V, W>(map: ReadonlyMap<K, V>, change: (value: V) => W): Map<K, W> {
  return new Map([...map].map(([key, value]) => [key, change(value)]));
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
