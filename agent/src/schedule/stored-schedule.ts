import type { KeptLease } from './lease.js';

/** Progress of a stored assignment; see SlotProgress. */
export interface StoredProgress {
  readonly monitorId: string;
  readonly done: number | null;
  readonly running: number | null;
  /** Due time of the first check if it started at once, server time; null if it did not. */
  readonly firstMs: number | null;
  /** A NodeState. */
  readonly stateJson: string;
}

/** One assignment as the file has it. */
export interface StoredRow extends StoredProgress {
  readonly generation: number;
  readonly specJson: string;
}

/** Schedule that the previous process left. */
export interface StoredSchedule {
  readonly rows: readonly StoredRow[];
  readonly lease: KeptLease | null;
}

/** The same, and what the spool knows. */
export interface ReportedSchedule extends StoredSchedule {
  /** The last reported slot time of a monitor, by its id: also of one that the file does not have. */
  readonly reportedMs: ReadonlyMap<string, number>;
}

/** Changes since the previous save. */
export interface ScheduleBatch {
  /** True if everything else in the file is obsolete. */
  readonly isEverything: boolean;
  readonly rows: readonly StoredRow[];
  readonly progress: readonly StoredProgress[];
  /** Ids of monitors. */
  readonly dropped: readonly string[];
  /** New lease; null if unchanged. */
  readonly lease: KeptLease | null;
}

export const emptySchedule: StoredSchedule = { rows: [], lease: null };
