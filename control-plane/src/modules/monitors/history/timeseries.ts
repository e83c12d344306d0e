import type { Slices } from '../../../runtime/slices.js';
import type { Interval } from '../definition/interval.js';
import { addEntries, BIN_UNIT, binOf, type Histogram, percentileOf } from './histogram.js';
import type { BucketRow, MissedRow } from './series-store.js';

/** Response times of a bucket, in milliseconds. */
export interface ResponseTimes {
  readonly avg: number;
  readonly min: number;
  readonly max: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Number of checks in a bucket, by outcome. */
export interface CheckCounts {
  readonly ok: number;
  readonly degraded: number;
  readonly failed: number;
  /** Slots that were due and not run. */
  readonly missed: number;
}

/** Values for the buckets of an aligned range; null if there is no value. */
export type Series<V> = readonly { readonly atMs: number; readonly value: V | null }[];

interface Buckets extends Interval {
  readonly stepMs: number;
}

/** Response times by bucket; null if no check got a response. Rows may be in any order. */
export async function responseSeries(
  buckets: Buckets,
  rows: readonly BucketRow[],
  slices: Slices,
): Promise<Series<ResponseTimes>> {
  const merged = new Map<number, BucketRow[]>();
  for (const row of rows) {
    const atMs = bucketOf(row.at.getTime(), buckets);
    const group = merged.get(atMs);
    if (group === undefined) merged.set(atMs, [row]);
    else group.push(row);
  }
  const values = new Map<number, ResponseTimes | null>();
  for (const [atMs, group] of merged) {
    await slices.spend(group.reduce((steps, { histogram }) => steps + 1 + (histogram?.length ?? 0), 0));
    values.set(atMs, responseTimes(group));
  }
  return seriesOf(buckets, values);
}

/** Counts by bucket; null if no check was made or due. */
export async function countSeries(
  buckets: Buckets,
  { rows, missed }: { readonly rows: readonly BucketRow[]; readonly missed: readonly MissedRow[] },
  slices: Slices,
): Promise<Series<CheckCounts>> {
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
  const { fromMs, toMs, stepMs } = buckets;
  for (const run of missed) {
    // a run may last months, of which these buckets are an hour
    const firstMs = Math.max(bucketOf(run.first_at.getTime(), buckets), fromMs);
    const lastMs = Math.min(run.last_at.getTime(), toMs - 1);
    await slices.spend(1 + Math.max(0, Math.ceil((lastMs - firstMs) / stepMs)));
    for (let atMs = firstMs; atMs <= lastMs; atMs += stepMs) {
      const slots = slotsWithin(run, { fromMs: atMs, toMs: atMs + stepMs });
      if (slots > 0) at(atMs).missed += slots;
    }
  }
  return seriesOf(buckets, counts);
}

/** Number of slots of a run within a range. */
export function slotsWithin({ first_at, last_at, slots }: MissedRow, { fromMs, toMs }: Interval): number {
  const firstMs = first_at.getTime();
  const distanceMs = slots > 1 ? (last_at.getTime() - firstMs) / (slots - 1) : 1;
  if (distanceMs === 0) return firstMs >= fromMs && firstMs < toMs ? slots : 0;
  const before = (ms: number) => Math.min(slots, Math.max(0, Math.ceil((ms - firstMs) / distanceMs)));
  return before(toMs) - before(fromMs);
}

function seriesOf<V>({ fromMs, toMs, stepMs }: Buckets, values: ReadonlyMap<number, V | null>): Series<V> {
  const series: { atMs: number; value: V | null }[] = [];
  for (let atMs = fromMs; atMs < toMs; atMs += stepMs) series.push({ atMs, value: values.get(atMs) ?? null });
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
    addEntries(histogram, row.histogram ?? [binOf(row.min_ms) * BIN_UNIT + row.answered]);
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
