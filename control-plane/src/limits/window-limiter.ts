import type { Clock } from '@vantage/shared/clock.js';
import type { Allowance } from '../http/allowance.js';
import type { Limit, RateLimiter } from '../http/rate-limit.js';
import { Turnstile, type UnitSource } from './turnstile.js';
import { isQuota, windowAt } from './window.js';

/** A replica on its own takes a tenth of a limit at once: ten statements a window for the busiest caller. */
const SHARE_AHEAD = 0.1;
/** The same for a quota: a fiftieth, because a crash loses it for the rest of the day. */
const QUOTA_SHARE_AHEAD = 0.02;
/** Keys known at once: about 20 MB. */
const MAX_KEYS = 50_000;
const FORGOTTEN_AT_ONCE = 1_000;
const SWEEP_EVERY_MS = 60_000;

/** Limits counted in fixed windows. What is known of them is kept in memory, up to 50 000 keys. */
export class WindowLimiter implements RateLimiter {
  readonly #turnstiles = new Map<string, Turnstile>();
  #wasOurs = true;
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
    const { within } = limit;
    const isOurs = this.source.isOurs();
    // the others are to find what this replica took ahead
    if (this.#wasOurs && !isOurs) void this.returnQuotas();
    this.#wasOurs = isOurs;
    return within === undefined ? this.#take(limit, cost) : this.#takeWithin(limit, within, cost);
  }

  async refund(limit: Limit, cost: number, taken: Allowance): Promise<void> {
    await this.#turnstileOf(limit).giveBack(cost, limit.limit, taken);
    // windows of a day end together; units of a shorter one with another end are not returned
    if (limit.within !== undefined) await this.#turnstileOf(limit.within).giveBack(cost, limit.within.limit, taken);
  }

  /** Returns what was taken ahead of quotas: at the end of this process, and when another replica begins. */
  async returnQuotas(): Promise<void> {
    await Promise.all([...this.#turnstiles.values()].map((turnstile) => turnstile.returnQuota()));
  }

  isExhausted({ within, ...limit }: Limit): boolean {
    const isKnown = this.#turnstiles.get(limit.key)?.isExhausted(limit.limit) === true;
    return isKnown || (within !== undefined && this.isExhausted(within));
  }

  #take(limit: Limit, cost: number): Promise<Allowance> {
    return this.#turnstileOf(limit).pass(cost, limit.limit);
  }

  /**
   * Takes from a limit and from the wider one. If the wider is known to be exhausted, the narrower is not looked up: a
   * stranger has 65 536 of those.
   */
  async #takeWithin(limit: Limit, within: Limit, cost: number): Promise<Allowance> {
    if (this.isExhausted(within)) return refusal(limit, await this.#take(within, cost));
    const own = await this.#take(limit, cost);
    if (!own.isAllowed) return own;
    const wider = await this.#take(within, cost);
    if (wider.isAllowed) return { ...own, remaining: Math.min(own.remaining, wider.remaining) };
    await this.#turnstileOf(limit).giveBack(cost, limit.limit, own);
    return refusal(limit, wider);
  }

  #turnstileOf(limit: Limit): Turnstile {
    const known = this.#turnstiles.get(limit.key);
    if (known !== undefined && !known.isOver) return known;
    const { source, clock } = this;
    const made = new Turnstile({
      key: limit.key,
      windowAt: (nowMs) => windowAt(limit, nowMs),
      shareAhead: isQuota(limit) ? QUOTA_SHARE_AHEAD : SHARE_AHEAD,
      isQuota: isQuota(limit),
      source,
      clock,
    });
    this.#makeRoom();
    // deleted and added again: the oldest come first
    this.#turnstiles.delete(limit.key);
    this.#turnstiles.set(limit.key, made);
    return made;
  }

  #makeRoom(): void {
    if (this.clock.monotonicMs() - this.#sweptMs >= SWEEP_EVERY_MS) this.#sweep();
    if (this.#turnstiles.size >= MAX_KEYS) this.#forgetOldest();
  }

  /** Many at once: a Map whose first entries are gone has to look for its first one. */
  #forgetOldest(): void {
    let left = FORGOTTEN_AT_ONCE;
    for (const [key, turnstile] of this.#turnstiles) {
      if (left === 0) return;
      void turnstile.returnQuota();
      this.#turnstiles.delete(key);
      left -= 1;
    }
  }

  #sweep(): void {
    this.#sweptMs = this.clock.monotonicMs();
    for (const [key, { isOver }] of this.#turnstiles) if (isOver) this.#turnstiles.delete(key);
  }
}

/** The allowance of a caller whose own limit would allow a request that the wider one does not. */
function refusal({ limit }: Limit, wider: Allowance): Allowance {
  return { ...wider, limit, remaining: Math.min(limit, wider.remaining), isAllowed: false };
}
