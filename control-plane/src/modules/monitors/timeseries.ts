import { addEntries, type Histogram, percentileOf, SLOT_UNIT, slotOf } from './histogram.js';
import type { BucketRow, MissedRow } from './series-store.js';
import type { Interval } from './uptime.js';

/** Response times of a bucket, in milliseconds. */
export interface ResponseTimes {
  readonly avg: number;
  readonly min: number;
  readonly max: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Checks of a bucket, by how they ended. */
export interface CheckCounts {
  readonly ok: number;
  readonly degraded: number;
  readonly failed: number;
  /** Slots that were due and not run. */
  readonly missed: number;
}

/** A value for each bucket of a range that is aligned to them; null: there is none. */
export type Series<V> = readonly { readonly atMs: number; readonly value: V | null }[];

interface Buckets extends Interval {
  readonly stepMs: number;
}

/** Response times by bucket; null where nothing answered. Rows are in no order. */
export function responseSeries(buckets: Buckets, rows: readonly BucketRow[]): Series<ResponseTimes> {
  const merged = new Map<number, BucketRow[]>();
  for (const row of rows) {
    const atMs = bucketOf(row.at.getTime(), buckets);
    const group = merged.get(atMs);
    if (group === undefined) merged.set(atMs, [row]);
    else group.push(row);
  }
  return seriesOf(buckets, (atMs) => responseTimes(merged.get(atMs) ?? []));
}

/** Counts by bucket; null where nothing was checked and nothing was due. */
export function countSeries(
  buckets: Buckets,
  rows: readonly BucketRow[],
  missed: readonly MissedRow[],
): Series<CheckCounts> {
  const counts = new Map<number, { ok: number; degraded: number; failed: number; missed: number }>();
  const at = (atMs: number) => {
    const found = counts.get(atMs) ?? { ok: 0, degraded: 0, failed: 0, missed: 0 };
    counts.set(atMs, found);
    return found;
  };
  for (const row of rows) {
    const count = at(bucketOf(row.at.getTime(), buckets));
    count.ok += row.ok;
    count.degraded += row.degraded;
    count.failed += row.failed;
  }
  for (const run of missed) {
    for (let atMs = bucketOf(run.first_at.getTime(), buckets); atMs <= run.last_at.getTime(); atMs += buckets.stepMs) {
      const slots = slotsWithin(run, { fromMs: atMs, toMs: atMs + buckets.stepMs });
      if (slots > 0) at(atMs).missed += slots;
    }
  }
  return seriesOf(buckets, (atMs) => counts.get(atMs) ?? null);
}

/** How many slots of a run are within a range. */
export function slotsWithin({ first_at, last_at, slots }: MissedRow, { fromMs, toMs }: Interval): number {
  const firstMs = first_at.getTime();
  const distanceMs = slots > 1 ? (last_at.getTime() - firstMs) / (slots - 1) : 1;
  if (distanceMs === 0) return firstMs >= fromMs && firstMs < toMs ? slots : 0;
  const before = (ms: number) => Math.min(slots, Math.max(0, Math.ceil((ms - firstMs) / distanceMs)));
  return before(toMs) - before(fromMs);
}

function seriesOf<V>({ fromMs, toMs, stepMs }: Buckets, valueAt: (atMs: number) => V | null): Series<V> {
  const series: { atMs: number; value: V | null }[] = [];
  for (let atMs = fromMs; atMs < toMs; atMs += stepMs) series.push({ atMs, value: valueAt(atMs) });
  return series;
}

function responseTimes(rows: readonly BucketRow[]): ResponseTimes | null {
  const histogram: Histogram = new Map();
  let [answered, sumUs, minMs, maxMs] = [0, 0, Number.POSITIVE_INFINITY, 0];
  for (const row of rows) {
    if (row.min_ms === null || row.max_ms === null) continue;
    answered += row.answered;
    sumUs += row.sum_us;
    minMs = Math.min(minMs, row.min_ms);
    maxMs = Math.max(maxMs, row.max_ms);
    addEntries(histogram, row.histogram ?? [slotOf(row.min_ms) * SLOT_UNIT + row.answered]);
  }
  if (answered === 0) return null;
  const percentile = (share: number) => percentileOf(histogram, share, { minMs, maxMs });
  return {
    avg: sumUs / answered / 1_000,
    min: minMs,
    max: maxMs,
    p50: percentile(0.5),
    p95: percentile(0.95),
    p99: percentile(0.99),
  };
}

function bucketOf(ms: number, { stepMs }: Buckets): number {
  return Math.floor(ms / stepMs) * stepMs;
}
