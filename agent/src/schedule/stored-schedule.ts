import type { KeptLease } from './lease.js';

/** How far a stored assignment has come; see SlotProgress. */
export interface StoredProgress {
  readonly monitorId: string;
  readonly done: number | null;
  readonly running: number | null;
  /** A NodeState. */
  readonly stateJson: string;
}

/** One assignment as the file has it. */
export interface StoredRow extends StoredProgress {
  readonly generation: number;
  readonly specJson: string;
}

/** What the process before left. */
export interface StoredSchedule {
  readonly rows: readonly StoredRow[];
  readonly lease: KeptLease | null;
}

/** What changed since the save before. */
export interface ScheduleBatch {
  /** Whatever else the file has is no longer so. */
  readonly isEverything: boolean;
  readonly rows: readonly StoredRow[];
  readonly progress: readonly StoredProgress[];
  /** Ids of monitors. */
  readonly dropped: readonly string[];
  /** Null: as it was. */
  readonly lease: KeptLease | null;
}

export const emptySchedule: StoredSchedule = { rows: [], lease: null };
