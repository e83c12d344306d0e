import { appendFileSync } from 'node:fs';
import { encodeRecord, type HistoryEvents, type HistoryRecord, type HistoryType } from '../invariants/history.js';

/** Keeps the history of a run: in memory for the checker, and line by line in a file for people. */
export class Recorder {
  readonly #records: HistoryRecord[] = [];

  constructor(private readonly file: string) {}

  /** `at`: milliseconds since the epoch; now unless said. */
  record<T extends HistoryType>(type: T, event: HistoryEvents[T], at = Date.now()): void {
    const record = { at, type, ...event } as unknown as HistoryRecord;
    this.#records.push(record);
    // whole logs are searched and not stored twice
    if (type !== 'text') appendFileSync(this.file, `${encodeRecord(record)}\n`);
  }

  get records(): readonly HistoryRecord[] {
    return this.#records;
  }
}
