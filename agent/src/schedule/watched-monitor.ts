import { type NodeState, unchecked } from '@vantage/shared/monitor-state/node-reducer.js';
import { type MissedSlots, phaseOf, type SlotGrid, slotAt, slotStart } from '@vantage/shared/monitor-state/slots.js';
import { type Assignment, type CheckSpec, parseCheckSpec } from './assignment.js';
import { isFarAhead } from './slot-plan.js';
import type { StoredRow } from './stored-schedule.js';
import { parseNodeState } from './stored-state.js';

/** A monitor as this node watches it under one assignment. Owned by Schedule, which alone changes it. */
export interface WatchedMonitor {
  readonly assignment: Assignment;
  readonly spec: CheckSpec;
  readonly grid: SlotGrid;
  /**
   * Due time of the first check, server time: a check that started at once is due at its real time, not at the start
   * of its slot. Null if it waited for its slot.
   */
  firstMs: number | null;
  /** See SlotProgress. */
  done: number | null;
  running: number | null;
  /** State by its checks; slots are in milliseconds since the epoch, server time. */
  state: NodeState;
  /** The last slot time that the monitor had here under another assignment, or null. */
  readonly afterMs: number | null;
  /** True if slots that came due while no agent ran have not been processed yet. */
  isResuming: boolean;
  /** True if the monitor is assigned to this node: a check may outlive its assignment. */
  isAssigned: boolean;
  /** Due time by which it is queued, server time; null if not queued. */
  dueMs: number | null;
}

/** A monitor that is this node's from now on; `afterMs`: the last slot time that it had here before. */
export function watchNew(assignment: Assignment, nodeId: string, afterMs: number | null): WatchedMonitor {
  const progress = { firstMs: null, done: null, running: null, state: unchecked };
  return { ...onGrid(assignment, nodeId), ...progress, afterMs, isResuming: false, isAssigned: true, dueMs: null };
}

/** A monitor that the previous process watched. */
export function watchAgain(row: StoredRow, nodeId: string): WatchedMonitor {
  const { monitorId, generation, specJson, firstMs, done, running, stateJson } = row;
  const progress = { firstMs, done, running, state: parseNodeState(stateJson) };
  const assignment = { monitorId, generation, specJson };
  return { ...onGrid(assignment, nodeId), ...progress, afterMs: null, isResuming: true, isAssigned: true, dueMs: null };
}

/**
 * The present slot, or the last one that the monitor had here before; slots that a wrong clock numbered far ahead do
 * not count.
 */
export function firstSlot(
  { grid, afterMs }: WatchedMonitor,
  nowMs: number,
): { readonly slot: number; readonly isItsOwn: boolean } {
  const before = afterMs === null ? null : slotAt(afterMs, grid);
  const slot = slotAt(nowMs, grid);
  if (before === null || isFarAhead(before, nowMs, grid)) return { slot, isItsOwn: true };
  return { slot: Math.max(slot, before), isItsOwn: slot > before };
}

/** Due time of a slot, server time. */
export function slotMsOf({ grid, firstMs }: Pick<WatchedMonitor, 'grid' | 'firstMs'>, slot: number): number {
  return firstMs !== null && slotAt(firstMs, grid) === slot ? firstMs : slotStart(slot, grid);
}

/** Runs of slots at even distances: the first check of all is a run of its own. */
export function evenRuns(
  { grid, firstMs }: Pick<WatchedMonitor, 'grid' | 'firstMs'>,
  runs: readonly MissedSlots[],
): MissedSlots[] {
  const own = firstMs === null ? null : slotAt(firstMs, grid);
  return runs.flatMap(({ first, last }) =>
    first === own && last > first
      ? [
          { first, last: first },
          { first: first + 1, last },
        ]
      : [{ first, last }],
  );
}

/**
 * Due time of the next slot, server time; a check that the previous process left unfinished is next. Null if not known
 * yet.
 */
export function nextDueMs(watched: WatchedMonitor): number | null {
  const { done, running, isResuming } = watched;
  if (done === null) return null;
  return slotMsOf(watched, isResuming && running !== null ? running : done + 1);
}

function onGrid(assignment: Assignment, nodeId: string): Pick<WatchedMonitor, 'assignment' | 'spec' | 'grid'> {
  const spec = parseCheckSpec(assignment.specJson);
  const { intervalMs } = spec;
  return { assignment, spec, grid: { intervalMs, phaseMs: phaseOf(assignment.monitorId, nodeId, intervalMs) } };
}
