import type { Clock } from '@vantage/shared/clock.js';

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/**
 * A clock that stands still until the test advances it; wall time and monotonic time advance together unless the wall
 * clock is set.
 */
export class FakeClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;
  #timers = new Set<Timer>();

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
    const timer = { dueMs: this.#monotonicMs + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  afterInput(callback: () => void): void {
    setImmediate(callback);
  }

  /** Number of timers that are not due yet. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Advances time by `ms`; timers that become due are called in order, at their time. */
  advance(ms: number): void {
    const endMs = this.#monotonicMs + ms;
    for (let due = this.#nextDue(endMs); due !== undefined; due = this.#nextDue(endMs)) {
      this.#timers.delete(due);
      this.#moveTo(Math.max(due.dueMs, this.#monotonicMs));
      due.callback();
    }
    this.#moveTo(endMs);
  }

  /** Sets the wall clock, as an operator may; no time passes. */
  setWall(wallMs: number): void {
    this.#wallMs = wallMs;
  }

  #nextDue(endMs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (timer.dueMs <= endMs && timer.dueMs < (next?.dueMs ?? Infinity)) next = timer;
    return next;
  }

  #moveTo(monotonicMs: number): void {
    this.#wallMs += monotonicMs - this.#monotonicMs;
    this.#monotonicMs = monotonicMs;
  }
}
