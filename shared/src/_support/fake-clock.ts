import type { Clock, Round } from '../clock.js';

interface Timer {
  readonly dueMs: number;
  /** Order in which timers were set. */
  readonly number: number;
  readonly callback: () => void;
}

interface FakeClockOptions {
  /**
   * Rounds that look for work while time passes, by name; the others stand still until they are asked to look. Default: all
   * of them move.
   */
  readonly rounds?: readonly string[];
}

/**
 * A clock that stands still until the test advances it; wall time and monotonic time advance together unless the wall
 * clock is set.
 */
export class FakeClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;
  /** Sorted by the instants at which they are due, those of one instant as they were set. */
  readonly #timers: Timer[] = [];
  #set = 0;
  readonly #begun = new Map<number, number>();
  readonly #moving: ReadonlySet<string> | null;
  /** Timers of rounds that are asked for, whose next turn they begin. */
  readonly #sweeps = new Map<Round, Timer>();
  /** Delay of timers that are set from now on: a blocked event loop. */
  timersLateMs = 0;

  constructor(wallMs = Date.UTC(2026, 0, 1), { rounds }: FakeClockOptions = {}) {
    this.#wallMs = wallMs;
    this.#moving = rounds === undefined ? null : new Set(rounds);
  }

  now(): number {
    return this.#wallMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  after(ms: number, callback: () => void, { round }: { round?: Round } = {}): () => void {
    if (round !== undefined && this.#moving?.has(round.name) === false) return () => {};
    const timer = { dueMs: this.#monotonicMs + ms + this.timersLateMs, number: this.#set++, callback };
    this.#timers.splice(this.#placeOf(timer), 0, timer);
    this.#begun.set(ms, this.begun(ms) + 1);
    if (round !== undefined) this.#sweeps.set(round, timer);
    return () => {
      this.#remove(timer);
      if (round !== undefined && this.#sweeps.get(round) === timer) this.#sweeps.delete(round);
    };
  }

  afterInput(callback: () => void): void {
    setImmediate(callback);
  }

  /** Number of timers of exactly this length that have ever been set: shows the progress of the code under test. */
  begun(ms: number): number {
    return this.#begun.get(ms) ?? 0;
  }

  /** Number of timers that are not due yet. */
  get pendingTimers(): number {
    return this.#timers.length;
  }

  /** Time until the next timer is due, in milliseconds; null: there is none. */
  get nextMs(): number | null {
    const next = this.#timers[0];
    return next === undefined ? null : next.dueMs - this.#monotonicMs;
  }

  /** Advances time by `ms`; timers that become due are called in order, at their time. */
  advance(ms: number): void {
    const endMs = this.#monotonicMs + ms;
    for (let due = this.#timers[0]; due !== undefined && due.dueMs <= endMs; due = this.#timers[0]) {
      this.#timers.shift();
      this.#moveTo(Math.max(due.dueMs, this.#monotonicMs));
      due.callback();
    }
    this.#moveTo(endMs);
  }

  /** Lets every round that moves look for work, in no time. Resolves when all have looked. */
  async sweep(): Promise<void> {
    // what they set meanwhile is for the next time
    const due = [...this.#sweeps];
    for (const [round, timer] of due) {
      this.#sweeps.delete(round);
      this.#remove(timer);
      timer.callback();
    }
    for (const [round] of due) await round.idle();
  }

  /** Sets the wall clock, as an operator may; no time passes. */
  setWall(wallMs: number): void {
    this.#wallMs = wallMs;
  }

  /** Index of the first timer that is due after `timer`. */
  #placeOf(timer: Timer): number {
    let [low, high] = [0, this.#timers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.#timers[middle] as Timer, timer)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #remove(timer: Timer): void {
    const place = this.#placeOf(timer);
    if (this.#timers[place] === timer) this.#timers.splice(place, 1);
  }

  #moveTo(monotonicMs: number): void {
    this.#wallMs += monotonicMs - this.#monotonicMs;
    this.#monotonicMs = monotonicMs;
  }
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.number < other.number);
}
