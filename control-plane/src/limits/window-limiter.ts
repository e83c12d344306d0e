import type { Clock } from '@vantage/shared/clock.js';
import type { Allowance, Limit, RateLimiter } from '../http/rate-limit.js';
import { Turnstile, type UnitSource } from './turnstile.js';
import { isCurrent, isQuota, windowAt } from './window.js';

/** A replica on its own takes a tenth of a limit at once: ten statements a window for the busiest caller. */
const SHARE_AHEAD = 0.1;
/** Keys known at once: about 20 MB. */
const MAX_KEYS = 50_000;
const FORGOTTEN_AT_ONCE = 1_000;
const SWEEP_EVERY_MS = 60_000;

/** Limits counted in fixed windows. What is known of them is kept in memory, up to 50 000 keys. */
export class WindowLimiter implements RateLimiter {
  readonly #turnstiles = new Map<string, Turnstile>();
  #sweptMs = 0;

  constructor(
    private readonly source: UnitSource,
    private readonly clock: Clock,
  ) {}

  /** Keys something is known about. */
  get size(): number {
    return this.#turnstiles.size;
  }

  consume(limit: Limit, cost = 1): Promise<Allowance> {
    return this.#turnstileOf(limit).pass(cost, limit.limit);
  }

  async refund(limit: Limit, cost: number, taken: Allowance): Promise<void> {
    const turnstile = this.#turnstileOf(limit);
    if (turnstile.window.endsAt === taken.resetsAt) await turnstile.giveBack(cost, limit.limit);
  }

  isExhausted(limit: Limit): boolean {
    const known = this.#turnstiles.get(limit.key);
    return known !== undefined && isCurrent(known.window, this.clock.now()) && known.isExhausted(limit.limit);
  }

  #turnstileOf(limit: Limit): Turnstile {
    const now = this.clock.now();
    const known = this.#turnstiles.get(limit.key);
    if (known !== undefined && isCurrent(known.window, now)) return known;
    const { source, clock } = this;
    const shareAhead = isQuota(limit) ? 0 : SHARE_AHEAD;
    const made = new Turnstile({ key: limit.key, window: windowAt(limit, now), shareAhead, source, clock });
    this.#makeRoom(now);
    // out and in again: the oldest come first
    this.#turnstiles.delete(limit.key);
    this.#turnstiles.set(limit.key, made);
    return made;
  }

  #makeRoom(now: number): void {
    if (this.clock.monotonicMs() - this.#sweptMs >= SWEEP_EVERY_MS) this.#sweep(now);
    if (this.#turnstiles.size >= MAX_KEYS) this.#forgetOldest();
  }

  /** Many at once: a Map whose first entries are gone has to look for its first one. */
  #forgetOldest(): void {
    let left = FORGOTTEN_AT_ONCE;
    for (const key of this.#turnstiles.keys()) {
      if (left === 0) return;
      this.#turnstiles.delete(key);
      left -= 1;
    }
  }

  #sweep(now: number): void {
    this.#sweptMs = this.clock.monotonicMs();
    for (const [key, { window }] of this.#turnstiles) if (!isCurrent(window, now)) this.#turnstiles.delete(key);
  }
}
