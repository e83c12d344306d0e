import type { History, HistoryType } from './history.js';

/** Statement that must be true of every run, whatever was broken in it. */
export interface Invariant {
  /** Number in the design, `I1` … */
  readonly id: string;
  /** One sentence. */
  readonly says: string;
  /** Records that it judges by: for a run without any such record, the absence of breaches proves nothing. */
  readonly evidence: readonly HistoryType[];
  /** One sentence for each breach; none when the run is in order. */
  check(history: History): string[];
}
