/** Clock readings around the reading of one batch of packets. */
export interface BatchReading {
  /** CLOCK_REALTIME minus CLOCK_MONOTONIC right before the batch was read. */
  readonly offsetBeforeMs: number;
  /** The same right after it. */
  readonly offsetAfterMs: number;
  /** True if nothing was left to read. */
  readonly isDrained: boolean;
}

// two readings of two clocks differ by a microsecond or two; by more only if the clock was set
const toleranceMs = 0.01;

/**
 * Decides whether the kernel's stamps can be trusted. They are wall clock times; their difference to the monotonic
 * clock, taken when they are read, converts them, unless the clock was set in between. A packet of this batch arrived
 * after the socket was last empty, so the difference is compared with the one at that moment. Linux slews both clocks
 * alike.
 */
export class StampTrust {
  #offsetWhenEmptyMs: number | null = null;

  /** Judges a batch. To be called once for every batch, in order; the first one cannot be compared with another. */
  judge({ offsetBeforeMs, offsetAfterMs, isDrained }: BatchReading): boolean {
    const expectedMs = this.#offsetWhenEmptyMs ?? offsetBeforeMs;
    if (isDrained || this.#offsetWhenEmptyMs === null) this.#offsetWhenEmptyMs = offsetBeforeMs;
    return Math.abs(offsetAfterMs - expectedMs) <= toleranceMs;
  }
}
