import type { Interval } from '../definition/interval.js';

/** Joins intervals, which may overlap, into the fewest intervals, in their order. */
export function unionOf(intervals: readonly Interval[]): readonly Interval[] {
  if (isUnion(intervals)) return intervals;
  const [begins, ends] = sortedBounds(intervals);
  const union: Interval[] = [];
  // as many have ended as have begun wherever nothing is covered, so that each are sorted by themselves: numbers sort fast
  for (let [first, index] = [0, 0]; index < ends.length; index += 1) {
    const [toMs, next] = [ends[index] as number, begins[index + 1]];
    if (next !== undefined && next <= toMs) continue;
    union.push({ fromMs: begins[first] as number, toMs });
    first = index + 1;
  }
  return union;
}

/** True if an instant is in one of the intervals of a union. */
export function contains(union: readonly Interval[], instantMs: number): boolean {
  const found = union[firstEndingAfter(union, instantMs)];
  return found !== undefined && found.fromMs <= instantMs;
}

/** Length of the part of a range that a union covers, in milliseconds. */
export function coveredMs(union: readonly Interval[], { fromMs, toMs }: Interval): number {
  let sum = 0;
  for (let index = firstEndingAfter(union, fromMs); index < union.length; index += 1) {
    const one = union[index] as Interval;
    if (one.fromMs >= toMs) break;
    sum += Math.min(one.toMs, toMs) - Math.max(one.fromMs, fromMs);
  }
  return sum;
}

/** Intersects two unions. */
export function intersectionOf(a: readonly Interval[], b: readonly Interval[]): readonly Interval[] {
  const both: Interval[] = [];
  for (let [i, j] = [0, 0]; i < a.length && j < b.length; ) {
    const [one, other] = [a[i] as Interval, b[j] as Interval];
    const part = { fromMs: Math.max(one.fromMs, other.fromMs), toMs: Math.min(one.toMs, other.toMs) };
    if (part.fromMs < part.toMs) both.push(part);
    if (one.toMs <= other.toMs) i += 1;
    else j += 1;
  }
  return both;
}

function sortedBounds(intervals: readonly Interval[]): readonly [begins: Float64Array, ends: Float64Array] {
  const [begins, ends] = [new Float64Array(intervals.length), new Float64Array(intervals.length)];
  let count = 0;
  for (const { fromMs, toMs } of intervals) {
    if (fromMs >= toMs) continue;
    begins[count] = fromMs;
    ends[count] = toMs;
    count += 1;
  }
  return [begins.subarray(0, count).sort(), ends.subarray(0, count).sort()];
}

function isUnion(intervals: readonly Interval[]): boolean {
  return intervals.every(({ fromMs, toMs }, index) => {
    return fromMs < toMs && fromMs > (intervals[index - 1]?.toMs ?? Number.NEGATIVE_INFINITY);
  });
}

/** Index of the first interval that ends after an instant; the length if there is none. */
function firstEndingAfter(union: readonly Interval[], instantMs: number): number {
  let [low, high] = [0, union.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((union[middle] as Interval).toMs > instantMs) high = middle;
    else low = middle + 1;
  }
  return low;
}
