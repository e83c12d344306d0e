import { dueSlot, type MissedSlots, type SlotGrid, slotAt, slotStart } from '@vantage/shared/monitor-state/slots.js';

// Which slots of one assignment are run and which are missed. Every slot after the first `done` is one of the two, once.
//
//   done        due but late           the slot of now
//    |-----|-----|-----|-----|-----|---------|
//          '------ missed ---------'   run, where it began within the last second (five after a restart) and nothing runs; else missed too

/** A slot that began longer ago is not begun: else everything would begin at once after a pause. */
export const LATEST_START_MS = 1000;
/** The same for the first step after a restart: an upgrade, which takes less, misses no slot of an interval of a minute. */
export const LATEST_START_AFTER_RESTART_MS = 5000;
/** Slots older than this are not reported: the spool would not keep the reports either. */
const MAX_AGE_MS = 72 * 3_600_000;
/** A last slot so far ahead of now was numbered by a clock that was wrong, and waited for it would be for ever. */
const MAX_AHEAD_MS = 3_600_000;

/** Progress of an assignment. */
export interface SlotProgress {
  /** Every slot up to this one was begun or recorded; null before server time is known. */
  readonly done: number | null;
  /** Slot of the check in flight, or null. At most `done`. */
  readonly running: number | null;
}

/** Next step of an assignment. */
export interface SlotStep {
  readonly missed: readonly MissedSlots[];
  /** Slot to run, or null. */
  readonly run: number | null;
  readonly done: number;
}

/** Plans the next step at `nowMs` (server time) for an assignment with this progress; null if nothing is due yet. */
export function planSlots(
  { done, running }: SlotProgress,
  nowMs: number,
  grid: SlotGrid,
  latestStartMs = LATEST_START_MS,
): SlotStep | null {
  if (done === null) return null;
  const due = dueSlot(done, nowMs, grid);
  if (due === null) return null;
  const isLate = nowMs - slotStart(due.slot, grid) > latestStartMs;
  const isMissed = isLate || running !== null;
  const missed = isMissed ? { first: done + 1, last: due.slot } : due.missed;
  return {
    missed: missed === null ? [] : recent([missed], nowMs, grid),
    run: isMissed ? null : due.slot,
    done: due.slot,
  };
}

/**
 * Plans the restart of an agent: the slots missed until now are the one that ran when it ended, and those due since.
 */
export function planResume({ done, running }: SlotProgress, nowMs: number, grid: SlotGrid): Omit<SlotStep, 'run'> {
  if (done === null || isFarAhead(done, nowMs, grid)) return { missed: [], done: slotAt(nowMs, grid) };
  const step = planSlots({ done, running: null }, nowMs, grid, LATEST_START_AFTER_RESTART_MS);
  // the next step starts the present slot, if it is not too late
  const reached = step === null ? done : step.run === null ? step.done : step.done - 1;
  const since = reached > done ? [{ first: done + 1, last: reached }] : [];
  const ran = running === null ? [] : [{ first: running, last: running }];
  return { missed: recent(joined([...ran, ...since]), nowMs, grid), done: reached };
}

/** True if the last slot is so far ahead of now that the schedule has to restart from now. */
export function isFarAhead(done: number, nowMs: number, grid: SlotGrid): boolean {
  return slotStart(done, grid) - nowMs > MAX_AHEAD_MS;
}

/** Two runs of slots as one, where the second follows the first. */
function joined(runs: readonly MissedSlots[]): readonly MissedSlots[] {
  const [first, second] = runs;
  if (first === undefined || second === undefined || first.last + 1 !== second.first) return runs;
  return [{ first: first.first, last: second.last }];
}

function recent(runs: readonly MissedSlots[], nowMs: number, grid: SlotGrid): MissedSlots[] {
  const oldest = slotAt(nowMs - MAX_AGE_MS, grid) + 1;
  return runs
    .map(({ first, last }) => ({ first: Math.max(first, oldest), last }))
    .filter(({ first, last }) => first <= last);
}
