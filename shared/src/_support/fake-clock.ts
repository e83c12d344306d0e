import type { Clock, Round } from '../clock.js';

interface Timer {
  readonly dueMs: number;
  /** Order in which timers were set. */
  readonly number: number;
  readonly callback: () => void;
  isOff: boolean;
}

interface FakeClockOptions {
  /** Names of the rounds that look for work while time passes; others stand still until something asks them to look. Default: every round. */
  readonly rounds?: readonly string[];
}

/**
 * A clock that stands still until the test advances it; wall time and monotonic time advance together unless the wall
 * clock is set.
 */
export class FakeClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;
  /** A binary heap: no timer comes after the two below it, at 2 n + 1 and 2 n + 2. Those called off are in it, too. */
  readonly #heap: Timer[] = [];
  #pending = 0;
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
    const timer = { dueMs: this.#monotonicMs + ms + this.timersLateMs, number: this.#set++, callback, isOff: false };
    this.#push(timer);
    this.#begun.set(ms, this.begun(ms) + 1);
    if (round !== undefined) this.#sweeps.set(round, timer);
    return () => {
      this.#callOff(timer);
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
    return this.#pending;
  }

  /** Time until the next timer is due, in milliseconds; null if there is none. */
  get nextMs(): number | null {
    const next = this.#first();
    return next === undefined ? null : next.dueMs - this.#monotonicMs;
  }

  /** Advances time by `ms`; timers that become due are called in order, at their time. */
  advance(ms: number): void {
    const endMs = this.#monotonicMs + ms;
    for (let due = this.#first(); due !== undefined && due.dueMs <= endMs; due = this.#first()) {
      this.#callOff(due);
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
      this.#callOff(timer);
      timer.callback();
    }
    for (const [round] of due) await round.idle();
  }

  /** Sets the wall clock, as an operator may; no time passes. */
  setWall(wallMs: number): void {
    this.#wallMs = wallMs;
  }

  /** The timer that is due next. */
  #first(): Timer | undefined {
    while (this.#heap[0]?.isOff) this.#pop();
    return this.#heap[0];
  }

  #callOff(timer: Timer): void {
    if (timer.isOff) return;
    timer.isOff = true;
    this.#pending -= 1;
  }

  #push(timer: Timer): void {
    this.#pending += 1;
    let place = this.#heap.push(timer) - 1;
    for (let above = (place - 1) >> 1; place > 0 && isBefore(timer, this.#at(above)); above = (place - 1) >> 1) {
      this.#heap[place] = this.#at(above);
      place = above;
    }
    this.#heap[place] = timer;
  }

  #pop(): void {
    const last = this.#heap.pop() as Timer;
    const { length } = this.#heap;
    if (length === 0) return;
    let place = 0;
    for (let below = 1; below < length; below = 2 * place + 1) {
      if (below + 1 < length && isBefore(this.#at(below + 1), this.#at(below))) below += 1;
      if (!isBefore(this.#at(below), last)) break;
      this.#heap[place] = this.#at(below);
      place = below;
    }
    this.#heap[place] = last;
  }

  #at(place: number): Timer {
    return this.#heap[place] as Timer;
  }

  #moveTo(monotonicMs: number): void {
    this.#wallMs += monotonicMs - this.#monotonicMs;
    this.#monotonicMs = monotonicMs;
  }
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.number < other.number);
}
