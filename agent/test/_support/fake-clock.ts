import type { Clock } from '@vantage/shared/clock.js';

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** A clock that stands still until the test moves it; both of its clocks move together unless the wall is set. */
export class FakeClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;
  #timers = new Set<Timer>();
  readonly #begun = new Map<number, number>();
  /** Delay of timers that are set from now on: a blocked event loop. */
  timersLateMs = 0;

  constructor(wallMs = Date.UTC(2026, 0, 1)) {
    this.#wallMs = wallMs;
  }

  now(): number {
    return this.#wallMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { dueMs: this.#monotonicMs + ms + this.timersLateMs, callback };
    this.#timers.add(timer);
    this.#begun.set(ms, this.begun(ms) + 1);
    return () => this.#timers.delete(timer);
  }

  afterInput(callback: () => void): void {
    setImmediate(callback);
  }

  /** Number of timers of exactly this length that have ever been set: shows the progress of the code under test. */
  begun(ms: number): number {
    return this.#begun.get(ms) ?? 0;
  }

  /** Timers that have not come due. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Lets `ms` pass; timers that come due are called in order, at their time. */
  advance(ms: number): void {
    const endMs = this.#monotonicMs + ms;
    for (let due = this.#nextDue(endMs); due !== undefined; due = this.#nextDue(endMs)) {
      this.#timers.delete(due);
      this.#moveTo(Math.max(due.dueMs, this.#monotonicMs));
      due.callback();
    }
    this.#moveTo(endMs);
  }

  /** Sets the wall clock; no time passes. */
  setWall(wallMs: number): void {
    this.#wallMs = wallMs;
  }

  #nextDue(endMs: number): Timer | undefined {
    return [...this.#timers].filter((timer) => timer.dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs)[0];
  }

  #moveTo(monotonicMs: number): void {
    this.#wallMs += monotonicMs - this.#monotonicMs;
    this.#monotonicMs = monotonicMs;
  }
}
