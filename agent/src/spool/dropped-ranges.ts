/** Reasons why numbers are missing, as the link declares them (proto/link.proto, Dropped). */
export const dropReasons = ['spool_full', 'expired', 'corrupt'] as const;
export type DropReason = (typeof dropReasons)[number];

/** Number of dropped rows by reason. */
export type DropCounts = Readonly<Record<DropReason, number>>;

export const nothingDropped: DropCounts = { spool_full: 0, expired: 0, corrupt: 0 };

/** Numbers first..last, both inclusive, that will never be delivered. */
export interface DroppedRange {
  readonly first: number;
  readonly last: number;
  readonly reason: DropReason;
}

/**
 * `ranges` with `added` folded in, sorted, without overlap. Ranges that touch become one, named for the larger part,
 * so that a long outage stays one summary.
 */
export function addDroppedRange(ranges: readonly DroppedRange[], added: DroppedRange): DroppedRange[] {
  const sorted = [...ranges, added].sort((a, b) => a.first - b.first);
  const folded: DroppedRange[] = [];
  for (const range of sorted) {
    const previous = folded.at(-1);
    if (previous === undefined || range.first > previous.last + 1) folded.push(range);
    else folded[folded.length - 1] = joinRanges(previous, range);
  }
  return folded;
}

/** Parts of `ranges` above `mark`. */
export function droppedAbove(ranges: readonly DroppedRange[], mark: number): DroppedRange[] {
  return ranges
    .filter((range) => range.last > mark)
    .map((range) => ({ ...range, first: Math.max(range.first, mark + 1) }));
}

/** Number of sequence numbers in the ranges. */
export function droppedCount(ranges: readonly DroppedRange[]): number {
  return ranges.reduce((sum, range) => sum + range.last - range.first + 1, 0);
}

/** `counts` with `rows` more for `reason`. */
export function addDropped(counts: DropCounts, reason: DropReason, rows: number): DropCounts {
  return { ...counts, [reason]: counts[reason] + rows };
}

/** Rows dropped for any reason. */
export function totalDropped(counts: DropCounts): number {
  return dropReasons.reduce((sum, reason) => sum + counts[reason], 0);
}

function joinRanges(a: DroppedRange, b: DroppedRange): DroppedRange {
  const larger = b.last - b.first > a.last - a.first ? b : a;
  return { first: Math.min(a.first, b.first), last: Math.max(a.last, b.last), reason: larger.reason };
}

/** The same numbers counted from another origin. */
export function shiftRange(range: DroppedRange, by: number): DroppedRange {
  return { ...range, first: range.first + by, last: range.last + by };
}
