import type { History, HistoryType } from './history.js';

/** What must be true of every run, whatever was broken in it. */
export interface Invariant {
  /** Its number in the design, `I1` … */
  readonly id: string;
  /** One sentence. */
  readonly says: string;
  /** What it judges by: of a run without any such record it says nothing, and no breach is no praise. */
  readonly evidence: readonly HistoryType[];
  /** One sentence for each breach; none when the run is in order. */
  check(history: History): string[];
}
