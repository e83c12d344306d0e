import type { Clock } from '@vantage/shared/clock.js';

/** How far storing lags behind what links deliver. */
export interface IngestPressure {
  /** The longest that a batch waits, or waited since this was last asked, for its commit; milliseconds. */
  readonly waitMs: number;
  /** Of results that are not stored yet. */
  readonly waitingBytes: number;
}

interface Waiting {
  readonly sinceMs: number;
}

/** Knows what waits for its commit. A commit that hangs ends never: so what still waits counts as much as what ended. */
export class Backlog {
  /** In the order they came, but for lanes that overtake: the first is the oldest. */
  readonly #waiting = new Set<Waiting>();
  #bytes = 0;
  #slowestMs = 0;

  constructor(private readonly clock: Clock) {}

  /** Counts `bytes` until `work` ends, well or not. */
  async hold<T>(bytes: number, work: Promise<T>): Promise<T> {
    const entry = { sinceMs: this.clock.monotonicMs() };
    this.#waiting.add(entry);
    this.#bytes += bytes;
    try {
      return await work;
    } finally {
      this.#waiting.delete(entry);
      this.#bytes -= bytes;
      this.#slowestMs = Math.max(this.#slowestMs, this.clock.monotonicMs() - entry.sinceMs);
    }
  }

  /** The pressure now; batches that ended are told once. */
  take(): IngestPressure {
    const [oldest] = this.#waiting;
    const oldestMs = oldest === undefined ? 0 : this.clock.monotonicMs() - oldest.sinceMs;
    const waitMs = Math.max(oldestMs, this.#slowestMs);
    this.#slowestMs = 0;
    return { waitMs, waitingBytes: this.#bytes };
  }
}
