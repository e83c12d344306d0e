import type { Clock } from '@vantage/shared/clock.js';

/** Delay of storing behind the deliveries of links. */
export interface IngestPressure {
  /** Longest time that a batch waits for its commit, or waited since the last call, in milliseconds. */
  readonly waitMs: number;
  /** Payload bytes of results that are not stored yet. */
  readonly waitingBytes: number;
}

interface Waiting {
  readonly sinceMs: number;
}

/**
 * Batches that wait for their commit. A commit that hangs never ends, so batches that still wait count as much as those
 * that ended.
 */
export class Backlog {
  /** Batches in the order they came, except for lanes that overtake: the first is the oldest. */
  readonly #waiting = new Set<Waiting>();
  #bytes = 0;
  #slowestMs = 0;

  constructor(private readonly clock: Clock) {}

  /** Counts `bytes` until `work` settles. */
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

  /** Current pressure; batches that ended are reported once. */
  take(): IngestPressure {
    const [oldest] = this.#waiting;
    const oldestMs = oldest === undefined ? 0 : this.clock.monotonicMs() - oldest.sinceMs;
    const waitMs = Math.max(oldestMs, this.#slowestMs);
    this.#slowestMs = 0;
    return { waitMs, waitingBytes: this.#bytes };
  }
}
