import { mtrFirstGuessHops } from '@vantage/shared/probe-types/mtr.js';
import type { Path } from '../hops/path.js';
import type { Schedule, Step } from '../hops/schedule.js';

/** Silent hops in a row, beyond the last one that answered, after which a cycle ends; mtr's `--max-unknown`. */
const maxUnknownHops = 5;

/** Number, interval and depth of the cycles. */
export interface CycleOptions {
  readonly cycles: number;
  readonly intervalMs: number;
  readonly maxHops: number;
  readonly flows: number;
}

/**
 * The rhythm of mtr: a packet to each hop per cycle, spread evenly over it, so that no router gets two packets at once and
 * several traces do not meet. A cycle ends at the target, and five hops behind the last one that answered; each has the
 * flow after that of the one before.
 */
export class Cycles implements Schedule {
  readonly #options: CycleOptions;
  #cycle = 0;
  #ttl = 1;
  /** Hops of the cycle before. */
  #width: number = mtrFirstGuessHops;
  #dueMs: number | null = null;
  #startMs = Number.NEGATIVE_INFINITY;

  constructor(options: CycleOptions) {
    this.#options = options;
  }

  next(path: Path, nowMs: number): Step {
    const { cycles, intervalMs } = this.#options;
    // results since the last packet may have made it the last of the cycle
    if (this.#ttl > path.lastTtl(this.#flow)) this.#endCycle(this.#ttl - 1);
    if (this.#cycle >= cycles) return { kind: 'done' };
    this.#dueMs ??= nowMs;
    const dueMs = this.#ttl === 1 ? Math.max(this.#dueMs, this.#startMs + intervalMs) : this.#dueMs;
    if (nowMs < dueMs) return { kind: 'wait', untilMs: dueMs };
    const packet = { ttl: this.#ttl, flow: this.#flow };
    if (packet.ttl === 1) this.#startMs = dueMs;
    this.#ttl += 1;
    if (packet.ttl >= this.#reach(path)) this.#endCycle(packet.ttl);
    // counted from when it was due, so that a late timer does not extend the cycle
    this.#dueMs = dueMs + intervalMs / this.#width;
    return { kind: 'send', packet };
  }

  get #flow(): number {
    return this.#cycle % this.#options.flows;
  }

  #endCycle(width: number): void {
    this.#width = width;
    this.#cycle += 1;
    this.#ttl = 1;
  }

  #reach(path: Path): number {
    return Math.min(path.lastTtl(this.#flow), this.#options.maxHops, path.farthestAnswer + maxUnknownHops);
  }
}
