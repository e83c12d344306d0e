import type { Clock } from '@vantage/shared/clock.js';

// Share of one link: at most half of the event loop, and a few megabytes that wait for the database.
//
//   reading ──over a limit──> waiting: nothing is read, so TCP holds the peer back ──below both──> reading

/** Milliseconds of handling that a link may use at once; it regains them at SHARE of the time that passes. */
const BURST_MS = 10;
const SHARE = 0.5;
/** Greatest number of bytes of results that are not stored yet; an honest agent's largest batch is half a megabyte. */
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

  /** True while the peer is kept waiting; its silence means nothing then. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Counts the time that handling a frame took. */
  spend(ms: number): void {
    this.#usedMs = this.#usedNow() + ms;
    this.#judge();
  }

  /** Counts bytes that are kept until `work` has stored them. */
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

  /** Resumes reading: a link that closes has to receive the Close frame of its peer. */
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
