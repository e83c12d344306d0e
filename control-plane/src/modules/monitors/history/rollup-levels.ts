import { partitionedTables } from '../../../db/partitions.js';
import type { Interval } from '../definition/interval.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Lengths of buckets, the shortest first; all divide a UTC day. */
export const rollupSteps = ['1m', '15m', '1h', '1d'] as const;
export type RollupStep = (typeof rollupSteps)[number];

/** Table of roll-ups. */
export interface RollupLevel {
  readonly step: RollupStep;
  readonly table: `rollups_${RollupStep}`;
  /** Length of a bucket. */
  readonly stepMs: number;
  /** Longest range that one statement rolls up, in milliseconds. */
  readonly atOnceMs: number;
}

/** Levels; each is made from the previous one, the first from checks. */
export const rollupLevels: readonly RollupLevel[] = [
  { step: '1m', table: 'rollups_1m', stepMs: MINUTE_MS, atOnceMs: 15 * MINUTE_MS },
  { step: '15m', table: 'rollups_15m', stepMs: 15 * MINUTE_MS, atOnceMs: 4 * HOUR_MS },
  { step: '1h', table: 'rollups_1h', stepMs: HOUR_MS, atOnceMs: DAY_MS },
  { step: '1d', table: 'rollups_1d', stepMs: DAY_MS, atOnceMs: 30 * DAY_MS },
];

/** Instant up to which minutes are closed, and up to which each table is complete; milliseconds since the epoch. */
export type RollupProgress = Readonly<Record<'closed' | RollupStep, number>>;

/** Delay after the end of a minute until it is closed: results without a delay have arrived by then. */
export const GRACE_MS = MINUTE_MS;

/** Instant up to which minutes may be closed. */
export function closableThrough(nowMs: number): number {
  return floorTo(MINUTE_MS, nowMs - GRACE_MS);
}

/** Next range of a level to be rolled up: whole buckets that the previous level covers completely; null if there is none. */
export function nextBuckets(level: RollupLevel, progress: RollupProgress): Interval | null {
  const fromMs = progress[level.step];
  const below = progress[before(level)?.step ?? 'closed'];
  const toMs = Math.min(floorTo(level.stepMs, below), fromMs + level.atOnceMs);
  return fromMs < toMs ? { fromMs, toMs } : null;
}

/** Level that a level is made from; null if it is made from checks. */
export function before(level: RollupLevel): RollupLevel | null {
  return rollupLevels[rollupLevels.indexOf(level) - 1] ?? null;
}

/** Level that is made from a level, or null. */
export function after(level: RollupLevel): RollupLevel | null {
  return rollupLevels[rollupLevels.indexOf(level) + 1] ?? null;
}

/** Level with a step. @throws RangeError for an unknown step */
export function levelOf(step: RollupStep): RollupLevel {
  const level = rollupLevels.find((one) => one.step === step);
  if (level === undefined) throw new RangeError(`no roll-up of "${step}"`);
  return level;
}

/** Bounds of the whole buckets that touch a range. */
export function alignTo(level: RollupLevel, { fromMs, toMs }: Interval): Interval {
  return {
    fromMs: floorTo(level.stepMs, fromMs),
    toMs: Math.max(floorTo(level.stepMs, toMs - 1), floorTo(level.stepMs, fromMs)) + level.stepMs,
  };
}

/** Number of buckets of a level in a range. */
export function bucketsIn(level: RollupLevel, range: Interval): number {
  const { fromMs, toMs } = alignTo(level, range);
  return (toMs - fromMs) / level.stepMs;
}

/** Level with the shortest buckets that are kept for a whole range and are no more than `most`. */
export function levelFor(range: Interval, nowMs: number, most: number): RollupLevel {
  const fits = (level: RollupLevel) => bucketsIn(level, range) <= most && nowMs - range.fromMs <= keptMs(level);
  return rollupLevels.find(fits) ?? levelOf('1d');
}

/** Days for which buckets of a level are kept. */
export function keptDays({ table }: RollupLevel): number {
  return partitionedTables.find(({ name }) => name === table)?.keepDays ?? 0;
}

function keptMs(level: RollupLevel): number {
  return keptDays(level) * DAY_MS;
}

function floorTo(stepMs: number, ms: number): number {
  return Math.floor(ms / stepMs) * stepMs;
}
