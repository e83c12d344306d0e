import { hash } from 'node:crypto';

// Times at which one node checks one monitor: a grid on server time that depends only on interval and phase, so that a
// restarted process is in phase at once, and nothing drifts.
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
  // as hex, which node:crypto answers in half the time of a Buffer: a page of monitors asks for hundreds
  const digest = hash('sha256', `${monitorId} ${nodeId}`, 'hex');
  return Math.floor((Number.parseInt(digest.slice(0, 12), 16) / 2 ** 48) * intervalMs);
}

/** The slot that contains an instant, milliseconds since the epoch. */
export function slotAt(instantMs: number, { intervalMs, phaseMs }: SlotGrid): number {
  return Math.floor((instantMs - phaseMs) / intervalMs);
}

/** Start of a slot, milliseconds since the epoch. */
export function slotStart(slot: number, { intervalMs, phaseMs }: SlotGrid): number {
  return phaseMs + slot * intervalMs;
}

/** Slots from one to another, both included, as runs that were missed between those that were done. */
export interface MissedSlots {
  readonly first: number;
  readonly last: number;
}

/**
 * Decides what is due at `nowMs` after slot `done`: the current slot if it has not run; slots in between are reported
 * as missed and never made up for in a burst. Null when nothing is due.
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
