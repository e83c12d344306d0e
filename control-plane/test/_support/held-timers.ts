import { type Clock, systemClock } from '@vantage/shared/clock.js';

/** The system's clock, but for timers of one length: those wait until the test lets them ring. */
export class HeldTimers implements Clock {
  readonly #held = new Set<() => void>();
  readonly now = systemClock.now;
  readonly monotonicMs = systemClock.monotonicMs;
  readonly afterInput = systemClock.afterInput;

  constructor(private readonly heldMs: number) {}

  after(ms: number, callback: () => void, options?: { unref?: boolean }): () => void {
    if (ms !== this.heldMs) return systemClock.after(ms, callback, options);
    this.#held.add(callback);
    return () => this.#held.delete(callback);
  }

  /** Number of timers that wait. */
  get held(): number {
    return this.#held.size;
  }

  /** Lets the timers ring that wait now. */
  ring(): void {
    const waiting = [...this.#held];
    this.#held.clear();
    for (const callback of waiting) callback();
  }
}
