import type { Clock } from '@vantage/shared/clock.js';

/** A clock that stands until the test moves it. */
export class ManualClock implements Clock {
  #nowMs = 0;
  readonly #timers = new Set<{ readonly dueMs: number; readonly callback: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { dueMs: this.#nowMs + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  afterInput(callback: () => void): void {
    setImmediate(callback);
  }

  /** Time until the next timer is due, in milliseconds; null: there is none. */
  get nextMs(): number | null {
    const dues = [...this.#timers].map(({ dueMs }) => dueMs);
    return dues.length === 0 ? null : Math.min(...dues) - this.#nowMs;
  }

  /** Lets `ms` pass; timers that come due are called in order. */
  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (;;) {
      const [due] = [...this.#timers].filter(({ dueMs }) => dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs);
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#nowMs = Math.max(this.#nowMs, due.dueMs);
      due.callback();
    }
    this.#nowMs = endMs;
  }
}
