import type { Clock } from '@vantage/shared/clock.js';

/**
 * Interval at which the event loop is expected to be on time while anything is watched, in milliseconds. A shorter
 * block between two ticks is not seen.
 */
const TICK_MS = 2;
/** Weight of a tick in the moving mean: about the last 16 ticks count. */
const WEIGHT = 1 / 16;
/** Age after which the mean is outdated, in milliseconds. */
const STALE_MS = 1000;
// The effect of a delay was measured with a child whose loop is blocked at random, over a path of 20 ms. A time taken in
// this process is wrong by up to the whole delay, a sum of several (http) by up to two of them. Off by more than 1 ms
// and 2 % were, for tcp: 5 of 309 with a delay below 2 ms, 10 of 54 from 2 to 5 ms, 5 of 16 from 5 to 8 ms, and all from
// 20 ms. Times of the kernel (ping, traceroute) are not affected: 95 of 100 correct to 0.7 and 0.5 ms with delays of 60
// to 110 ms.
/**
 * A single delay below this affects no result, and a mean above it would affect every probe that begins, in
 * milliseconds.
 */
const TOLERANCE_MS = 5;
/** Tolerated delay as a share of a longer duration, equal to the permitted difference from curl and dig. */
const TOLERATED_SHARE = 0.02;
/** A delay above this may have spoiled a part of a result, however long the whole took, milliseconds. */
const MOST_TOLERATED_MS = 20;
/** Tolerance for times of the kernel: a longer stall may have lost packets. */
const KERNEL_TOLERANCE_MS = 100;

interface Watch {
  readonly startedMs: number;
  largestMs: number;
}

/**
 * Delay of the event loop while something runs, whatever the reason: long work in this process, or a machine that
 * gives the processor to others. A timer ticks only while at least one watch is open; delays before a watch started
 * do not count against that watch.
 */
export class LoopLag {
  readonly #clock: Clock;
  readonly #onRecovered: () => void;
  readonly #watches = new Set<Watch>();
  #dueMs = 0;
  #meanMs = 0;
  #cancelTick: (() => void) | null = null;

  /** `onRecovered` is called when the loop, after it was behind, is no longer. */
  constructor(clock: Clock, onRecovered: () => void = () => undefined) {
    this.#clock = clock;
    this.#onRecovered = onRecovered;
  }

  /** True if the loop has been late for a while, so that anything it starts now would be disturbed. */
  get isBehind(): boolean {
    return this.#meanMs > TOLERANCE_MS;
  }

  /** Starts a watch; the returned function ends it and returns the largest delay since, in milliseconds. */
  watch(): () => number {
    const nowMs = this.#clock.monotonicMs();
    const watch: Watch = { startedMs: nowMs, largestMs: 0 };
    this.#watches.add(watch);
    if (this.#cancelTick === null) this.#resume(nowMs);
    return () => {
      note(watch, this.#dueMs, this.#clock.monotonicMs());
      this.#watches.delete(watch);
      return watch.largestMs;
    };
  }

  #resume(nowMs: number): void {
    if (nowMs - this.#dueMs > STALE_MS) this.#meanMs = 0;
    this.#schedule(nowMs);
  }

  #schedule(nowMs: number): void {
    this.#dueMs = nowMs + TICK_MS;
    this.#cancelTick = this.#clock.after(TICK_MS, () => this.#tick(), { unref: true });
  }

  #tick(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const watch of this.#watches) note(watch, this.#dueMs, nowMs);
    this.#average(nowMs - this.#dueMs);
    this.#cancelTick = null;
    if (this.#watches.size > 0) this.#schedule(nowMs);
  }

  /** One long delay, a collection of garbage say, is over when it is seen: only many in a row mean too much work. */
  #average(lateMs: number): void {
    const wasBehind = this.isBehind;
    this.#meanMs += WEIGHT * (Math.min(lateMs, MOST_TOLERATED_MS) - this.#meanMs);
    if (wasBehind && !this.isBehind) this.#onRecovered();
  }
}

/** Duration and source of the times that a delay is judged against. */
export interface Timing {
  readonly durationMs: number;
  /** The kernel stamps what arrives, so that a late loop reads the times late, and right. */
  readonly isByKernel: boolean;
}

/**
 * True if a delay of `lagMs` may have spoiled the timings of something: 2 % of its duration, with an upper limit
 * because long durations consist of short parts.
 */
export function isDisturbed(lagMs: number, { durationMs, isByKernel }: Timing): boolean {
  if (isByKernel) return lagMs > KERNEL_TOLERANCE_MS;
  return lagMs > Math.min(MOST_TOLERATED_MS, Math.max(TOLERANCE_MS, durationMs * TOLERATED_SHARE));
}

function note(watch: Watch, dueMs: number, nowMs: number): void {
  const lateMs = nowMs - Math.max(dueMs, watch.startedMs);
  if (lateMs > watch.largestMs) watch.largestMs = lateMs;
}
