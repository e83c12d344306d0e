import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { ApiError, fieldError } from '../../../http/errors.js';
import type { Account } from '../../../http/route.js';
import type { TimeRange } from '../../../http/time-range.js';
import { Slices } from '../../../runtime/slices.js';
import { type Interval, touching } from '../definition/interval.js';
import type { KnownMonitorRow } from '../definition/store.js';
import { MAX_OCCURRENCES, type MaintenanceReads, TooManyOccurrencesError } from '../maintenance/maintenance-reads.js';
import { barOf, type Cell } from './bars.js';
import { unionOf } from './interval-union.js';
import { alignTo, bucketsIn, keptDays, levelFor, levelOf, type RollupLevel, type RollupStep } from './rollup-levels.js';
import {
  countByNode,
  findBarMonitors,
  findNodeKey,
  listBuckets,
  listMissed,
  meanByCell,
  type NodeCountRow,
} from './series-store.js';
import { type CheckCounts, countSeries, type ResponseTimes, responseSeries, type Series } from './timeseries.js';
import { measureUptime, type Uptime } from './uptime.js';
import { readAllEpisodes, readEpisodes } from './uptime-store.js';

const DAY_MS = 86_400_000;
/** Length of the range when a request names none, in milliseconds. */
const STANDARD_MS = 30 * DAY_MS;
/** Time for which history of a monitor is kept, in milliseconds. */
const HISTORY_MS = keptDays(levelOf('1d')) * DAY_MS;
/** Greatest number of points in a response. */
export const MAX_POINTS = 1_000;

/** Windows in every response about uptime; all end now. */
export const uptimeWindows = [
  { name: '24h', ms: DAY_MS },
  { name: '7d', ms: 7 * DAY_MS },
  { name: '30d', ms: 30 * DAY_MS },
  { name: '90d', ms: 90 * DAY_MS },
] as const;

/** Uptime of a monitor in a range. */
export interface UptimeOfRange extends Interval, Uptime {
  /** Number of outages that touch the range. */
  readonly events: number;
  readonly nodes: readonly NodeCountRow[];
}

/** Windows of bars, with the number and length of their cells, which divide a UTC day or are one. */
export const barWindows = {
  '24h': { cells: 48, cellMs: DAY_MS / 48 },
  '7d': { cells: 56, cellMs: DAY_MS / 8 },
  '30d': { cells: 60, cellMs: DAY_MS / 2 },
  '90d': { cells: 90, cellMs: DAY_MS },
} as const;
export type BarWindow = keyof typeof barWindows;

/** States and mean response times of a monitor in the cells of a window. */
export interface MonitorBar {
  readonly id: string;
  readonly fromMs: number;
  readonly cellMs: number;
  readonly uptime: Uptime;
  readonly cells: readonly Cell[];
  /** In milliseconds; null where nothing answered. */
  readonly responseMs: readonly (number | null)[];
}

/** Metrics of time series. */
export const seriesMetrics = ['response_ms', 'checks'] as const;
export type SeriesMetric = (typeof seriesMetrics)[number];

/** Time series in buckets; `fromMs` and `toMs` are the bounds of the first and the last bucket. */
export type TimeLine = Interval & { readonly step: RollupStep } & (
    | { readonly metric: 'response_ms'; readonly points: Series<ResponseTimes> }
    | { readonly metric: 'checks'; readonly points: Series<CheckCounts> }
  );

interface HistoryOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly maintenance: MaintenanceReads;
}

/** Uptime and time series of monitors. */
export class History {
  constructor(private readonly options: HistoryOptions) {}

  /**
   * Uptime in the requested range, by default the last thirty days, and in each of the windows. Stops when the signal aborts,
   * as the caller no longer waits. @throws ApiError VALIDATION_FAILED
   */
  async uptime(
    monitor: KnownMonitorRow,
    asked: TimeRange,
    signal?: AbortSignal,
  ): Promise<{ asked: UptimeOfRange; windows: readonly UptimeOfRange[] }> {
    const { db, clock } = this.options;
    const nowMs = clock.now();
    const ranges = [rangeOf(asked, nowMs), ...uptimeWindows.map(({ ms }) => ({ fromMs: nowMs - ms, toMs: nowMs }))];
    const whole = { fromMs: Math.min(...ranges.map(({ fromMs }) => fromMs)), toMs: nowMs };
    const firstCheckMs = monitor.first_check_at?.getTime() ?? null;
    const [episodes, maintained] = await Promise.all([
      readEpisodes(db, [monitor.id], whole),
      this.#maintained(monitor, whole, signal),
    ]);
    const { downs, pauses } = episodes.get(monitor.id) ?? { downs: [], pauses: [] };
    const unwatched = unionOf([...pauses, ...maintained]);
    const uptimes: UptimeOfRange[] = [];
    for (const range of ranges) {
      const level = levelFor(range, nowMs, MAX_POINTS);
      const nodes = await countByNode(db, level, { ...alignTo(level, range), monitorKey: monitor.key, nodeKey: null });
      const measured = measureUptime({ asked: range, firstCheckMs, downs, unwatched });
      uptimes.push({ ...range, ...measured, events: touching(downs, range).length, nodes });
    }
    const [own, ...windows] = uptimes;
    return { asked: own as UptimeOfRange, windows };
  }

  /** Bars of monitors of an account; those that are not its own are left out. */
  async bars({ owner }: Account, ids: readonly string[], window: BarWindow): Promise<MonitorBar[]> {
    const { db, clock, maintenance } = this.options;
    const nowMs = clock.now();
    const { cells, cellMs } = barWindows[window];
    const toMs = Math.ceil(nowMs / cellMs) * cellMs;
    const range = { fromMs: toMs - cells * cellMs, toMs };
    const monitors = await findBarMonitors(db, ids, owner);
    if (monitors.length === 0) return [];
    const asked = { fromMs: range.fromMs, toMs: nowMs };
    const monitorKeys = monitors.map(({ key }) => key);
    const [episodes, windows, means] = await Promise.all([
      readAllEpisodes(
        db,
        monitors.map(({ id }) => id),
        asked,
      ),
      maintenance.reading(db, owner.id, asked)(monitors),
      meanByCell(db, levelFor(asked, nowMs, MAX_POINTS), { ...range, monitorKeys, cellMs }),
    ]);
    const slices = new Slices();
    const bars: MonitorBar[] = [];
    for (const { id, key, first_check_at } of monitors) {
      const found = episodes.get(id) ?? { downs: [], degradations: [], pauses: [] };
      const maintained = unionOf((windows.get(id) ?? []).flat());
      const turn = slices.spend(cells + found.downs.length + found.degradations.length + maintained.length);
      if (turn !== null) await turn;
      const firstCheckMs = first_check_at?.getTime() ?? null;
      const unwatched = [...found.pauses, ...maintained];
      const responseMs = new Array<number | null>(cells).fill(null);
      for (const { monitor_key, cell, mean_ms } of means) if (monitor_key === key) responseMs[cell] = mean_ms;
      bars.push({
        id,
        fromMs: range.fromMs,
        cellMs,
        uptime: measureUptime({ asked, firstCheckMs, downs: found.downs, unwatched }),
        cells: barOf({ fromMs: range.fromMs, cellMs, cells, nowMs, firstCheckMs, episodes: found, maintained }),
        responseMs,
      });
    }
    return bars;
  }

  /** Intervals of maintenance since the first check of a monitor: windows may be older by years. */
  async #maintained(monitor: KnownMonitorRow, { fromMs, toMs }: Interval, signal?: AbortSignal): Promise<Interval[]> {
    const { db, maintenance } = this.options;
    const watchedFromMs = Math.max(fromMs, monitor.first_check_at?.getTime() ?? toMs);
    if (watchedFromMs >= toMs) return [];
    try {
      const found = await maintenance.within(db, [monitor], { fromMs: watchedFromMs, toMs }, signal);
      return (found.get(monitor.id) ?? []).flat();
    } catch (error) {
      throw error instanceof TooManyOccurrencesError ? tooLong(error) : error;
    }
  }

  /**
   * Time series of a monitor, by default of the last day, in buckets of `step` or the shortest that fit.
   * @throws ApiError VALIDATION_FAILED for too many points, NODE_NOT_FOUND for a node that never had the monitor
   */
  async timeLine(
    monitor: KnownMonitorRow,
    { metric, step, nodeId, ...asked }: TimeRange & SeriesOptions,
    signal?: AbortSignal,
  ): Promise<TimeLine> {
    const { db, clock } = this.options;
    const nowMs = clock.now();
    const range = rangeOf({ ...asked, fromMs: asked.fromMs ?? (asked.toMs ?? nowMs) - DAY_MS }, nowMs);
    const level = step === null ? levelFor(range, nowMs, MAX_POINTS) : levelAsked(step, range);
    const nodeKey = nodeId === null ? null : await findNodeKey(db, monitor.id, nodeId);
    if (nodeKey === null && nodeId !== null) throw new ApiError('NODE_NOT_FOUND');
    const aligned = alignTo(level, range);
    const of = { ...aligned, monitorKey: monitor.key, nodeKey };
    const buckets = { ...aligned, stepMs: level.stepMs };
    const rows = await listBuckets(db, level, of);
    const line = { ...aligned, step: level.step };
    const slices = new Slices(signal);
    if (metric === 'response_ms') return { ...line, metric, points: await responseSeries(buckets, rows, slices) };
    const missed = await listMissed(db, level, of);
    return { ...line, metric, points: await countSeries(buckets, { rows, missed }, slices) };
  }
}

interface SeriesOptions {
  readonly metric: SeriesMetric;
  /** Length of a bucket; null for the shortest that fits. */
  readonly step: RollupStep | null;
  /** Node; null for all nodes. */
  readonly nodeId: string | null;
}

/** Part of the requested range for which data are kept, until now at most. @throws ApiError VALIDATION_FAILED if there is none */
function rangeOf({ fromMs, toMs }: TimeRange, nowMs: number): Interval {
  const until = Math.min(toMs ?? nowMs, nowMs);
  const from = Math.max(fromMs ?? until - STANDARD_MS, nowMs - HISTORY_MS);
  if (nowMs - until >= HISTORY_MS) throw fieldError('to', 'range', 'must be within the last five years');
  if (from >= until) throw fieldError('from', 'range', 'must be before now');
  return { fromMs: from, toMs: until };
}

function tooLong({ count }: TooManyOccurrencesError): ApiError {
  const message = `maintenance windows have up to ${count} occurrences since then, and at most ${MAX_OCCURRENCES} are measured: send a later instant`;
  return new ApiError('VALIDATION_FAILED', { status: 422, details: { from: [{ code: 'range', message }] } });
}

function levelAsked(step: RollupStep, range: Interval): RollupLevel {
  const level = levelOf(step);
  const points = bucketsIn(level, range);
  if (points <= MAX_POINTS) return level;
  throw fieldError('step', 'range', `is too short: ${points} points, at most ${MAX_POINTS}`);
}
