import type { Clock } from '@vantage/shared/clock.js';

/** Pings of a token that a replica stores one by one in a minute; far more than a job normally sends. */
export const PINGS_PER_MINUTE = 60;

const WINDOW_MS = 60_000;
/** Number of counted tokens at which those whose minute is over are dropped. */
const TIDY_ABOVE = 10_000;

interface Window {
  readonly endsMs: number;
  count: number;
}

/** Counts the pings of each token. */
export class PingFlood {
  readonly #windows = new Map<string, Window>();

  constructor(private readonly clock: Pick<Clock, 'monotonicMs'>) {}

  /** True if a token has used up its pings of this minute. */
  isOver(key: string): boolean {
    const window = this.#windows.get(key);
    return window !== undefined && this.clock.monotonicMs() < window.endsMs && window.count >= PINGS_PER_MINUTE;
  }

  /** Counts a ping that is about to be stored. */
  count(key: string): void {
    const nowMs = this.clock.monotonicMs();
    const window = this.#windows.get(key);
    if (window !== undefined && nowMs < window.endsMs) {
      window.count += 1;
      return;
    }
    if (this.#windows.size >= TIDY_ABOVE) this.#tidy(nowMs);
    this.#windows.set(key, { endsMs: nowMs + WINDOW_MS, count: 1 });
  }

  /** Drops the count of a token that is no longer valid. */
  forget(key: string): void {
    this.#windows.delete(key);
  }

  #tidy(nowMs: number): void {
    for (const [key, { endsMs }] of this.#windows) {
      if (endsMs <= nowMs) this.#windows.delete(key);
    }
  }
}
