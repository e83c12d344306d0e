import { partitionedTables } from '../../db/partitions.js';
import type { Interval } from './uptime.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Lengths of buckets, the shortest first; all divide a UTC day. */
export const rollupSteps = ['1m', '15m', '1h', '1d'] as const;
export type RollupStep = (typeof rollupSteps)[number];

/** One table of roll-ups. */
export interface RollupLevel {
  readonly step: RollupStep;
  readonly table: `rollups_${RollupStep}`;
  /** Length of a bucket. */
  readonly stepMs: number;
  /** How much is made by one statement at most. */
  readonly atOnceMs: number;
}

/** Each is made from the one before it, the first from checks. */
export const rollupLevels: readonly RollupLevel[] = [
  { step: '1m', table: 'rollups_1m', stepMs: MINUTE_MS, atOnceMs: 15 * MINUTE_MS },
  { step: '15m', table: 'rollups_15m', stepMs: 15 * MINUTE_MS, atOnceMs: 4 * HOUR_MS },
  { step: '1h', table: 'rollups_1h', stepMs: HOUR_MS, atOnceMs: DAY_MS },
  { step: '1d', table: 'rollups_1d', stepMs: DAY_MS, atOnceMs: 30 * DAY_MS },
];

/** Up to when minutes are closed, and up to when each table is made; milliseconds since the epoch. */
export type RollupProgress = Readonly<Record<'closed' | RollupStep, number>>;

/** A minute is closed so long after its end: by then what comes without a delay has come. */
export const GRACE_MS = MINUTE_MS;

/** Up to when minutes may be closed. */
export function closableThrough(nowMs: number): number {
  return floorTo(MINUTE_MS, nowMs - GRACE_MS);
}

/** What of a level is to be made next: whole buckets that the level before has all of; null: nothing. */
export function nextBuckets(level: RollupLevel, progress: RollupProgress): Interval | null {
  const fromMs = progress[level.step];
  const below = progress[before(level)?.step ?? 'closed'];
  const toMs = Math.min(floorTo(level.stepMs, below), fromMs + level.atOnceMs);
  return fromMs < toMs ? { fromMs, toMs } : null;
}

/** The level that one is made from; null: checks. */
export function before(level: RollupLevel): RollupLevel | null {
  return rollupLevels[rollupLevels.indexOf(level) - 1] ?? null;
}

/** The level that is made from this one; null: none. */
export function after(level: RollupLevel): RollupLevel | null {
  return rollupLevels[rollupLevels.indexOf(level) + 1] ?? null;
}

/** @throws RangeError for a step that is none */
export function levelOf(step: RollupStep): RollupLevel {
  const level = rollupLevels.find((one) => one.step === step);
  if (level === undefined) throw new RangeError(`no roll-up of "${step}"`);
  return level;
}

/** Whole buckets that have any part of a range. */
export function alignTo(level: RollupLevel, { fromMs, toMs }: Interval): Interval {
  return {
    fromMs: floorTo(level.stepMs, fromMs),
    toMs: Math.max(floorTo(level.stepMs, toMs - 1), floorTo(level.stepMs, fromMs)) + level.stepMs,
  };
}

/** Buckets of a level in a range. */
export function bucketsIn(level: RollupLevel, range: Interval): number {
  const { fromMs, toMs } = alignTo(level, range);
  return (toMs - fromMs) / level.stepMs;
}

/** The shortest buckets that are still kept of all of a range, and no more than `most`. */
export function levelFor(range: Interval, nowMs: number, most: number): RollupLevel {
  const fits = (level: RollupLevel) => bucketsIn(level, range) <= most && nowMs - range.fromMs <= keptMs(level);
  return rollupLevels.find(fits) ?? levelOf('1d');
}

/** Days that buckets of a level are kept. */
export function keptDays({ table }: RollupLevel): number {
  return partitionedTables.find(({ name }) => name === table)?.keepDays ?? 0;
}

function keptMs(level: RollupLevel): number {
  return keptDays(level) * DAY_MS;
}

function floorTo(stepMs: number, ms: number): number {
  return Math.floor(ms / stepMs) * stepMs;
}
