import type { Clock } from '@vantage/shared/clock.js';

/** How often the event loop is asked to be on time while anything is watched, milliseconds. */
const TICK_MS = 5;

interface Watch {
  readonly startedMs: number;
  largestMs: number;
}

/**
 * How late the event loop was while something ran. A timer ticks only while at least one watch is open; what made it
 * late before a watch began does not count against that watch.
 */
export class LoopLag {
  readonly #clock: Clock;
  readonly #watches = new Set<Watch>();
  #dueMs = 0;
  #cancelTick: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins to watch; the returned function ends it and says the largest delay since, milliseconds. */
  watch(): () => number {
    const nowMs = this.#clock.monotonicMs();
    const watch: Watch = { startedMs: nowMs, largestMs: 0 };
    this.#watches.add(watch);
    if (this.#cancelTick === null) this.#schedule(nowMs);
    return () => {
      note(watch, this.#dueMs, this.#clock.monotonicMs());
      this.#watches.delete(watch);
      return watch.largestMs;
    };
  }

  #schedule(nowMs: number): void {
    this.#dueMs = nowMs + TICK_MS;
    this.#cancelTick = this.#clock.after(TICK_MS, () => this.#tick(), { unref: true });
  }

  #tick(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const watch of this.#watches) note(watch, this.#dueMs, nowMs);
    this.#cancelTick = null;
    if (this.#watches.size > 0) this.#schedule(nowMs);
  }
}

/** Whether a delay of `lagMs` may have spoiled the timings of something that took `durationMs`. */
export function isDisturbed(lagMs: number, durationMs: number): boolean {
  return lagMs > Math.max(5, durationMs * 0.05);
}

function note(watch: Watch, dueMs: number, nowMs: number): void {
  const lateMs = nowMs - Math.max(dueMs, watch.startedMs);
  if (lateMs > watch.largestMs) watch.largestMs = lateMs;
}
