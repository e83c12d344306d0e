import type { Clock } from '@vantage/shared/clock.js';

/**
 * How often the event loop is asked to be on time while anything is watched, milliseconds. What blocks it for less than
 * this between two ticks is not seen.
 */
const TICK_MS = 2;
/** What a tick weighs in the mean: about the last 16 count. */
const WEIGHT = 1 / 16;
/** Without a tick for this long the mean says nothing of now. */
const STALE_MS = 1000;
// What a delay does was measured with a child whose loop is blocked at random (`npm run bench -- probes --only lag`, a
// path of 20 ms, docs/benchmarks.md). A time taken in this process is wrong by up to the whole delay, a sum of several
// (http) by up to two of them. By more than 1 ms and 2 % were, of tcp: 5 of 309 with a delay below 2 ms, 10 of 54 from 2
// to 5 ms, 5 of 16 from 5 to 8 ms, and from 20 ms on all. Times of the kernel (ping, traceroute) know nothing of it: 95
// of 100 right to 0.7 and 0.5 ms with delays of 60 to 110 ms.
/** A single delay below this spoils no result, and a mean above it would spoil whatever begins, milliseconds. */
const TOLERANCE_MS = 5;
/** Of what took longer, a delay of this share: as far from curl and dig as our goals allow. */
const TOLERATED_SHARE = 0.02;
/** A delay above this may have spoiled a part of a result, however long the whole took, milliseconds. */
const MOST_TOLERATED_MS = 20;
/** For times of the kernel: below this nothing was wrong; what stood still for longer may have lost packets. */
const KERNEL_TOLERANCE_MS = 100;

interface Watch {
  readonly startedMs: number;
  largestMs: number;
}

/**
 * How late the event loop is while something runs, whatever the reason: long work in this process, or a machine that
 * gives the processor to others. A timer ticks only while at least one watch is open; what made it late before a watch
 * began does not count against that watch.
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

  /** Whether the loop has been so late for a while that whatever else it begins would be disturbed. */
  get isBehind(): boolean {
    return this.#meanMs > TOLERANCE_MS;
  }

  /** Begins to watch; the returned function ends it and says the largest delay since, milliseconds. */
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

/** What a delay is judged by. */
export interface Timing {
  readonly durationMs: number;
  /** The kernel stamps what arrives, so that a late loop reads the times late, and right. */
  readonly isByKernel: boolean;
}

/**
 * Whether a delay of `lagMs` may have spoiled the timings of something: 2 % of it, but what is long is made of short
 * parts.
 */
export function isDisturbed(lagMs: number, { durationMs, isByKernel }: Timing): boolean {
  if (isByKernel) return lagMs > KERNEL_TOLERANCE_MS;
  return lagMs > Math.min(MOST_TOLERATED_MS, Math.max(TOLERANCE_MS, durationMs * TOLERATED_SHARE));
}

function note(watch: Watch, dueMs: number, nowMs: number): void {
  const lateMs = nowMs - Math.max(dueMs, watch.startedMs);
  if (lateMs > watch.largestMs) watch.largestMs = lateMs;
}
