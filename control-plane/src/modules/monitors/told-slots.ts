/** Slots at even distances, both ends included. Milliseconds since the epoch. */
export interface SlotRun {
  readonly firstMs: number;
  readonly lastMs: number;
  /** 1 and above; 1: `firstMs` is `lastMs`. */
  readonly count: number;
}

/** How far apart the slots of a run are; 0 for a single one. */
function stepOf({ firstMs, lastMs, count }: SlotRun): number {
  return count > 1 ? (lastMs - firstMs) / (count - 1) : 0;
}

/** Whether a slot is one of those that were told. */
export function isToldAt(told: readonly SlotRun[], slotMs: number): boolean {
  return told.some((run) => {
    if (slotMs < run.firstMs || slotMs > run.lastMs) return false;
    const step = stepOf(run);
    return step === 0 || isWhole((slotMs - run.firstMs) / step);
  });
}

/** What of a run was not told before, as runs, in order. `told` are slots of the same monitor and node. */
export function untold(run: SlotRun, told: readonly SlotRun[]): SlotRun[] {
  if (told.length === 0) return [run];
  const step = stepOf(run);
  const slotMs = (index: number) => run.firstMs + index * step;
  const taken = told.flatMap((other) => indexesIn(run, step, other)).sort((a, b) => a - b);
  const free: SlotRun[] = [];
  let next = 0;
  for (const index of [...taken, run.count]) {
    const count = index - next;
    if (count > 0) free.push({ firstMs: slotMs(next), lastMs: slotMs(index - 1), count });
    next = Math.max(next, index + 1);
  }
  return free;
}

/** Which slots of a run another one has, too; of another grid they may have none in common. */
function indexesIn(run: SlotRun, step: number, other: SlotRun): number[] {
  const firstIndex = step === 0 ? 0 : Math.max(0, Math.ceil((other.firstMs - run.firstMs) / step));
  const lastIndex = step === 0 ? 0 : Math.min(run.count - 1, Math.floor((other.lastMs - run.firstMs) / step));
  const indexes: number[] = [];
  for (let index = firstIndex; index <= lastIndex; index += 1)
    if (isToldAt([other], run.firstMs + index * step)) indexes.push(index);
  return indexes;
}

/** Grids have whole milliseconds. */
function isWhole(value: number): boolean {
  return Math.abs(value - Math.round(value)) < 1e-6;
}
