import type { Clock } from '@vantage/shared/clock.js';

// What one link may take from all the others: half of the event loop, and a few megabytes that wait for the database.
//
//   reading ──over a limit──> waiting: nothing is read, so TCP holds the peer back ──below both──> reading

/** Milliseconds of handling a link may use up at once; it earns them back at SHARE of the time that passes. */
const BURST_MS = 10;
const SHARE = 0.5;
/** Bytes of results on their way into the database; an honest agent's largest batch is half a megabyte. */
const MAX_UNSTORED_BYTES = 4 * 1024 * 1024;

interface InflowOptions {
  readonly clock: Clock;
  readonly pause: () => void;
  readonly resume: () => void;
}

/** Decides when a link has to wait before more is read from it. */
export class Inflow {
  #usedMs = 0;
  #countedAtMs: number;
  #unstoredBytes = 0;
  #isWaiting = false;
  #isEnded = false;
  #cancelTimer: (() => void) | null = null;

  constructor(private readonly options: InflowOptions) {
    this.#countedAtMs = options.clock.monotonicMs();
  }

  /** Whether the peer is kept waiting: its silence says nothing then. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Handling a frame took this long. */
  spend(ms: number): void {
    this.#usedMs = this.#usedNow() + ms;
    this.#judge();
  }

  /** Takes bytes that are kept until they are stored; `work` is what stores them. */
  async hold<T>(bytes: number, work: Promise<T>): Promise<T> {
    this.#unstoredBytes += bytes;
    this.#judge();
    try {
      return await work;
    } finally {
      this.#unstoredBytes -= bytes;
      this.#judge();
    }
  }

  /** Reads on: a link that closes has to hear its peer close. */
  end(): void {
    this.#isEnded = true;
    this.#cancelTimer?.();
    if (this.#isWaiting) this.options.resume();
    this.#isWaiting = false;
  }

  #judge(): void {
    if (this.#isEnded) return;
    const overMs = this.#usedNow() - BURST_MS;
    const mustWait = overMs > 0 || this.#unstoredBytes > MAX_UNSTORED_BYTES;
    if (mustWait && !this.#isWaiting) this.options.pause();
    if (!mustWait && this.#isWaiting) this.options.resume();
    this.#isWaiting = mustWait;
    if (overMs > 0) this.#cancelTimer ??= this.options.clock.after(overMs / SHARE, () => this.#lookAgain());
  }

  #lookAgain(): void {
    this.#cancelTimer = null;
    this.#judge();
  }

  #usedNow(): number {
    const nowMs = this.options.clock.monotonicMs();
    this.#usedMs = Math.max(0, this.#usedMs - (nowMs - this.#countedAtMs) * SHARE);
    this.#countedAtMs = nowMs;
    return this.#usedMs;
  }
}
