import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { ApiError, fieldError } from '../../http/errors.js';
import type { TimeRange } from '../../http/time-range.js';
import type { MaintenanceReads } from './maintenance-reads.js';
import { alignTo, bucketsIn, levelFor, levelOf, type RollupLevel, type RollupStep } from './rollup-levels.js';
import { countByNode, findNodeKey, listBuckets, listMissed, type NodeCountRow } from './series-store.js';
import type { KnownMonitorRow } from './store.js';
import { type CheckCounts, countSeries, type ResponseTimes, responseSeries, type Series } from './timeseries.js';
import { type Interval, measureUptime, touching, type Uptime } from './uptime.js';
import { readEpisodes } from './uptime-store.js';

const DAY_MS = 86_400_000;
/** What is answered when no range is asked for. */
const STANDARD_MS = 30 * DAY_MS;
/** Points of one answer at most. */
export const MAX_POINTS = 1_000;

/** The windows that every answer about uptime has, all until now. */
export const uptimeWindows = [
  { name: '24h', ms: DAY_MS },
  { name: '7d', ms: 7 * DAY_MS },
  { name: '30d', ms: 30 * DAY_MS },
  { name: '90d', ms: 90 * DAY_MS },
] as const;

/** Uptime of a monitor in a range. */
export interface UptimeOfRange extends Interval, Uptime {
  /** Outages that touch it. */
  readonly events: number;
  readonly nodes: readonly NodeCountRow[];
}

/** What may be asked about time lines. */
export const seriesMetrics = ['response_ms', 'checks'] as const;
export type SeriesMetric = (typeof seriesMetrics)[number];

/** A time line in buckets; `fromMs` and `toMs` are their bounds. */
export type TimeLine = Interval & { readonly step: RollupStep } & (
    | { readonly metric: 'response_ms'; readonly points: Series<ResponseTimes> }
    | { readonly metric: 'checks'; readonly points: Series<CheckCounts> }
  );

interface HistoryOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly maintenance: MaintenanceReads;
}

/** What monitors were like. */
export class History {
  constructor(private readonly options: HistoryOptions) {}

  /** Uptime in the range that is asked for, by default the last thirty days, and in each of the windows. */
  async uptime(
    monitor: KnownMonitorRow,
    asked: TimeRange,
  ): Promise<{ asked: UptimeOfRange; windows: readonly UptimeOfRange[] }> {
    const { db, clock, maintenance } = this.options;
    const nowMs = clock.now();
    const ranges = [rangeOf(asked, nowMs), ...uptimeWindows.map(({ ms }) => ({ fromMs: nowMs - ms, toMs: nowMs }))];
    const whole = { fromMs: Math.min(...ranges.map(({ fromMs }) => fromMs)), toMs: nowMs };
    const [episodes, maintained] = await Promise.all([
      readEpisodes(db, [monitor.id], whole),
      maintenance.within(db, [monitor], whole),
    ]);
    const { downs, pauses } = episodes.get(monitor.id) ?? { downs: [], pauses: [] };
    const unwatched = [...pauses, ...(maintained.get(monitor.id) ?? [])];
    const firstCheckMs = monitor.first_check_at?.getTime() ?? null;
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

  /**
   * A time line of a monitor, by default of the last day, in buckets of `step` or the shortest that fit.
   * @throws ApiError VALIDATION_FAILED for too many points, NODE_NOT_FOUND for a node that never had the monitor
   */
  async timeLine(
    monitor: KnownMonitorRow,
    { metric, step, nodeId, ...asked }: TimeRange & SeriesOptions,
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
    if (metric === 'response_ms') return { ...line, metric, points: responseSeries(buckets, rows) };
    return { ...line, metric, points: countSeries(buckets, rows, await listMissed(db, of)) };
  }
}

interface SeriesOptions {
  readonly metric: SeriesMetric;
  /** Null: whatever fits. */
  readonly step: RollupStep | null;
  /** Null: of all nodes. */
  readonly nodeId: string | null;
}

/** What is asked for, until now at most. @throws ApiError VALIDATION_FAILED for what is wholly to come */
function rangeOf({ fromMs, toMs }: TimeRange, nowMs: number): Interval {
  const until = Math.min(toMs ?? nowMs, nowMs);
  const from = fromMs ?? until - STANDARD_MS;
  if (from >= until) throw fieldError('from', 'range', 'must be before now');
  return { fromMs: from, toMs: until };
}

function levelAsked(step: RollupStep, range: Interval): RollupLevel {
  const level = levelOf(step);
  const points = bucketsIn(level, range);
  if (points <= MAX_POINTS) return level;
  throw fieldError('step', 'range', `is too short: ${points} points, at most ${MAX_POINTS} are answered`);
}
