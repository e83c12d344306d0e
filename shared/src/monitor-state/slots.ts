import { createHash } from 'node:crypto';

// When one node checks one monitor: a grid on server time that only interval and phase decide, so that a process that
// starts anew is in phase at once, and nothing drifts.
//
//   phase        phase + interval    phase + 2 intervals
//     | slot 0         | slot 1            | slot 2          slot n begins at phase + n * interval

/** The grid of one assignment. */
export interface SlotGrid {
  /** Milliseconds from one slot to the next, above 0. */
  readonly intervalMs: number;
  /** Milliseconds since the epoch at which slot 0 begins: 0 <= phase < interval. */
  readonly phaseMs: number;
}

/**
 * The phase of a node of a monitor: the same wherever and whenever it is asked for, and spread evenly over the interval, so that
 * neither the nodes of one monitor nor the monitors of one node check all at once.
 */
export function phaseOf(monitorId: string, nodeId: string, intervalMs: number): number {
  const digest = createHash('sha256').update(`${monitorId} ${nodeId}`).digest();
  return Math.floor((digest.readUIntBE(0, 6) / 2 ** 48) * intervalMs);
}

/** The slot that contains an instant, milliseconds since the epoch. */
export function slotAt(instantMs: number, { intervalMs, phaseMs }: SlotGrid): number {
  return Math.floor((instantMs - phaseMs) / intervalMs);
}

/** When a slot begins, milliseconds since the epoch. */
export function slotStart(slot: number, { intervalMs, phaseMs }: SlotGrid): number {
  return phaseMs + slot * intervalMs;
}

/** Slots from one to another, both included, as runs that were missed between those that were done. */
export interface MissedSlots {
  readonly first: number;
  readonly last: number;
}

/**
 * What to do at `nowMs` after slot `done`: the slot of now is run, if it was not; those between are missed, never made up
 * for in a burst. Null while there is nothing to do.
 */
export function dueSlot(
  done: number,
  nowMs: number,
  grid: SlotGrid,
): { readonly slot: number; readonly missed: MissedSlots | null } | null {
  const slot = slotAt(nowMs, grid);
  if (slot <= done) return null;
  return { slot, missed: slot === done + 1 ? null : { first: done + 1, last: slot - 1 } };
}
