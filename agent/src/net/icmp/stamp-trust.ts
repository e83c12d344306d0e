/** What surrounded the reading of one batch of packets. */
export interface BatchReading {
  /** CLOCK_REALTIME minus CLOCK_MONOTONIC right before the batch was read. */
  readonly offsetBeforeMs: number;
  /** The same right after it. */
  readonly offsetAfterMs: number;
  /** Nothing was left to read. */
  readonly isDrained: boolean;
}

// two readings of two clocks differ by a microsecond or two; by more only where somebody has set the clock
const toleranceMs = 0.01;

/**
 * Whether the kernel's stamps may be believed. They are wall clock times; the difference to the monotonic clock when they
 * are read says what they mean, as long as nobody set the clock between. A packet of this batch came in after the moment
 * in which nothing was left to read, so the difference is compared with that of then. Linux slews both clocks alike.
 */
export class StampTrust {
  #offsetWhenEmptyMs: number | null = null;

  /** To be asked once for every batch, in order; the first one has nothing to be compared with. */
  judge({ offsetBeforeMs, offsetAfterMs, isDrained }: BatchReading): boolean {
    const expectedMs = this.#offsetWhenEmptyMs ?? offsetBeforeMs;
    if (isDrained || this.#offsetWhenEmptyMs === null) this.#offsetWhenEmptyMs = offsetBeforeMs;
    return Math.abs(offsetAfterMs - expectedMs) <= toleranceMs;
  }
}
