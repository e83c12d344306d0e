import { type NodeState, unchecked } from '@vantage/shared/monitor-state/node-reducer.js';
import { phaseOf, type SlotGrid, slotAt, slotStart } from '@vantage/shared/monitor-state/slots.js';
import { type Assignment, type CheckSpec, parseCheckSpec } from './assignment.js';
import type { StoredRow } from './stored-schedule.js';
import { parseNodeState } from './stored-state.js';

/** A monitor as this node watches it under one assignment. Owned by Schedule, which alone changes it. */
export interface WatchedMonitor {
  readonly assignment: Assignment;
  readonly spec: CheckSpec;
  readonly grid: SlotGrid;
  /** See SlotProgress. */
  done: number | null;
  running: number | null;
  /** Its slots are told in milliseconds since the epoch, server time. */
  state: NodeState;
  /** Nothing before this slot time is its own: the assignment before had it. Null: all that come. */
  readonly afterMs: number | null;
  /** What came due while no agent ran is still to be looked at. */
  isResuming: boolean;
  /** Whether it is this node's: a check may outlive its assignment. */
  isAssigned: boolean;
  /** Where it stands among those to come, server time; null: nowhere. */
  dueMs: number | null;
}

/** A monitor that is this node's from now on; `before`: the same under another assignment. */
export function watchNew(assignment: Assignment, nodeId: string, before: WatchedMonitor | null): WatchedMonitor {
  const afterMs = before === null || before.done === null ? null : slotStart(before.done, before.grid);
  const progress = { done: null, running: null, state: unchecked };
  return { ...onGrid(assignment, nodeId), ...progress, afterMs, isResuming: false, isAssigned: true, dueMs: null };
}

/** A monitor that the process before watched. */
export function watchAgain(row: StoredRow, nodeId: string): WatchedMonitor {
  const { monitorId, generation, specJson, done, running, stateJson } = row;
  const progress = { done, running, state: parseNodeState(stateJson) };
  const assignment = { monitorId, generation, specJson };
  return { ...onGrid(assignment, nodeId), ...progress, afterMs: null, isResuming: true, isAssigned: true, dueMs: null };
}

/** Whether a slot of now is one that no assignment of the monitor here has had. */
export function isItsOwn({ grid, afterMs }: WatchedMonitor, slot: number): boolean {
  return afterMs === null || slotStart(slot, grid) > afterMs;
}

/** The slot of now, or the last one of the assignment before. */
export function slotBefore({ grid, afterMs }: WatchedMonitor, nowMs: number): number {
  return slotAt(Math.max(nowMs, afterMs ?? nowMs), grid);
}

/** When its next slot comes, server time; a check that the process before left unanswered is next. Null: not known yet. */
export function nextDueMs({ done, running, isResuming, grid }: WatchedMonitor): number | null {
  if (done === null) return null;
  return slotStart(isResuming && running !== null ? running : done + 1, grid);
}

function onGrid(assignment: Assignment, nodeId: string): Pick<WatchedMonitor, 'assignment' | 'spec' | 'grid'> {
  const spec = parseCheckSpec(assignment.specJson);
  const { intervalMs } = spec;
  return { assignment, spec, grid: { intervalMs, phaseMs: phaseOf(assignment.monitorId, nodeId, intervalMs) } };
}
