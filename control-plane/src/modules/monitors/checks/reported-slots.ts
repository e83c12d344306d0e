/** Slots at even distances, both ends included. Milliseconds since the epoch. */
export interface SlotRun {
  readonly firstMs: number;
  readonly lastMs: number;
  /** 1 and above; 1: `firstMs` is `lastMs`. */
  readonly count: number;
}

/** Distance between the slots of a run, in milliseconds; 0 for a single slot. */
function stepOf({ firstMs, lastMs, count }: SlotRun): number {
  return count > 1 ? (lastMs - firstMs) / (count - 1) : 0;
}

/** True if a slot is among those already reported. */
export function isReportedAt(reported: readonly SlotRun[], slotMs: number): boolean {
  return reported.some((run) => isIn(run, slotMs));
}

function isIn(run: SlotRun, slotMs: number): boolean {
  if (slotMs < run.firstMs || slotMs > run.lastMs) return false;
  const step = stepOf(run);
  return step === 0 || isWhole((slotMs - run.firstMs) / step);
}

/** Greatest number of slots of a run that are compared with other runs: runs of one agent hardly overlap. */
const MAX_COMPARED = 500_000;

/**
 * Returns the part of a run that was not reported before, as runs, in order. `reported`: reported slots of the same monitor and node. A run that overlaps
 * others so often that the comparison would take too long counts as reported: no agent reports its slots a hundred times.
 */
export function unreported(run: SlotRun, reported: readonly SlotRun[]): SlotRun[] {
  if (reported.length === 0) return [run];
  const step = stepOf(run);
  const slotMs = (index: number) => run.firstMs + index * step;
  const isTaken = new Uint8Array(run.count);
  let compared = 0;
  for (const other of reported) {
    const { first, last } = overlapOf(run, step, other);
    compared += 1 + Math.max(0, last - first);
    if (compared > MAX_COMPARED) return [];
    for (let index = first; index <= last; index += 1) if (isIn(other, slotMs(index))) isTaken[index] = 1;
  }
  const free: SlotRun[] = [];
  for (let next = 0; next < run.count; next += 1) {
    const first = next;
    while (next < run.count && isTaken[next] === 0) next += 1;
    if (next > first) free.push({ firstMs: slotMs(first), lastMs: slotMs(next - 1), count: next - first });
  }
  return free;
}

/** Indexes of a run between the ends of another run; on different grids the two may have no slot in common. */
function overlapOf(run: SlotRun, step: number, other: SlotRun): { readonly first: number; readonly last: number } {
  if (step === 0) return { first: 0, last: 0 };
  return {
    first: Math.max(0, Math.ceil((other.firstMs - run.firstMs) / step)),
    last: Math.min(run.count - 1, Math.floor((other.lastMs - run.firstMs) / step)),
  };
}

/** Grids have whole milliseconds. */
function isWhole(value: number): boolean {
  return Math.abs(value - Math.round(value)) < 1e-6;
}
