import type { HistoryEvents, HistoryType } from '../invariants/history.js';

/** Recorder of the events of a run. */
export interface HistoryWriter {
  /** `text` goes into the trace, which must not depend on keys and epochs. */
  add<T extends HistoryType>(type: T, event: HistoryEvents[T], text?: string | null): void;
}
