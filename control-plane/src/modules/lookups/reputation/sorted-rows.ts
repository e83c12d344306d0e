/** Rows that are compared or merged before a slice ends, and numbers that are sorted at once: about 2 ms. */
const ROWS_PER_SLICE = 32_768;

/** Rows of whole numbers, one after another. */
export type Rows = Uint32Array | Float64Array;

/**
 * Sorts rows of `width` numbers, ascending by their numbers in turn; the result is the given array, or one of the same length, for
 * copying millions of rows back would take longer than a slice. Each step of the generator is a slice of
 * the work, so that the caller may let others run in between. Rows in order take one pass; else a merge sort, of single
 * numbers over runs that the engine sorts.
 */
export function* sortRows<R extends Rows>(rows: R, width: number): Generator<void, R> {
  const count = rows.length / width;
  for (let row = 1; ; row += 1) {
    if (row >= count) return rows;
    if (compareRows(rows, row - 1, row, width) > 0) break;
    if (row % ROWS_PER_SLICE === 0) yield;
  }
  let run = 1;
  if (width === 1) {
    run = ROWS_PER_SLICE;
    for (let at = 0; at < count; at += run) {
      rows.subarray(at, at + run).sort();
      yield;
    }
  }
  let from = rows;
  let to = (rows instanceof Float64Array ? new Float64Array(rows.length) : new Uint32Array(rows.length)) as R;
  for (; run < count; run *= 2) {
    yield* mergePass({ from, to, width, count }, run);
    [from, to] = [to, from];
  }
  return from;
}

interface Pass {
  readonly from: Rows;
  readonly to: Rows;
  readonly width: number;
  readonly count: number;
}

/** Merges each two neighbouring runs of `from` into `to`. */
function* mergePass(pass: Pass, run: number): Generator<void, void> {
  let work = 0;
  for (let at = 0; at < pass.count; at += 2 * run) {
    const middle = Math.min(at + run, pass.count);
    const merge = { left: at, right: middle, middle, next: at, end: Math.min(at + 2 * run, pass.count) };
    while (merge.next < merge.end) {
      work += pass.width === 1 ? mergeNumbers(pass, merge, ROWS_PER_SLICE) : mergeSome(pass, merge, ROWS_PER_SLICE);
      if (work < ROWS_PER_SLICE) continue;
      work = 0;
      yield;
    }
  }
}

interface Merge {
  left: number;
  right: number;
  readonly middle: number;
  /** Row of `to` that is written next. */
  next: number;
  readonly end: number;
}

/** Writes at most `limit` rows and returns their number. */
function mergeSome({ from, to, width }: Pass, merge: Merge, limit: number): number {
  const start = merge.next;
  const end = Math.min(merge.end, start + limit);
  let { left, right } = merge;
  for (let next = start; next < end; next += 1) {
    const takesLeft = left < merge.middle && (right >= merge.end || compareRows(from, left, right, width) <= 0);
    const row = takesLeft ? left : right;
    if (takesLeft) left += 1;
    else right += 1;
    for (let i = 0; i < width; i += 1) to[next * width + i] = from[row * width + i] as number;
  }
  merge.left = left;
  merge.right = right;
  merge.next = end;
  return end - start;
}

/** The same for rows of one number, of which there are millions. */
function mergeNumbers({ from, to }: Pass, merge: Merge, limit: number): number {
  const { next: start, middle, end: runEnd } = merge;
  const end = Math.min(runEnd, start + limit);
  let { left, right } = merge;
  for (let next = start; next < end; next += 1) {
    const takesLeft = left < middle && (right >= runEnd || (from[left] as number) <= (from[right] as number));
    to[next] = from[takesLeft ? left : right] as number;
    if (takesLeft) left += 1;
    else right += 1;
  }
  merge.left = left;
  merge.right = right;
  merge.next = end;
  return end - start;
}

function compareRows(rows: Rows, a: number, b: number, width: number): number {
  for (let i = 0; i < width; i += 1) {
    const difference = (rows[a * width + i] as number) - (rows[b * width + i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}
