import type { Clock } from '@vantage/shared/clock.js';
import type { Allowance } from '../http/allowance.js';
import { type Ask, type Taken, Tally } from './tally.js';
import { isCurrent, type Window } from './window.js';

/** Source of units for turnstiles. */
export interface UnitSource {
  /** Resolves with null if this replica has to continue alone; never rejects. */
  take(ask: Ask): Promise<Taken | null>;
  /** True if no other replica takes from the source: units may then be taken ahead, and spent without a request. */
  isOurs(): boolean;
}

interface TurnstileOptions {
  readonly key: string;
  /** Window of the key that runs at a time, in milliseconds since the epoch. */
  readonly windowAt: (nowMs: number) => Window;
  /** Part of a limit to take ahead while no other replica uses the source; 0: only the units needed. */
  readonly shareAhead: number;
  /** True if what was taken ahead is returned when it is not needed: of a day, but not of a minute. */
  readonly isQuota: boolean;
  readonly source: UnitSource;
  readonly clock: Clock;
}

interface Waiting {
  /** Units; 0: waits only until the source knows what was given back. */
  readonly units: number;
  readonly most: number;
  readonly resolve: (allowance: Allowance) => void;
}

/**
 * Lets requests of one key through, in the order they came, while there are units left in the window that runs. There
 * must be one at a time for a key: of two, each would let through what only it knows of while the source is away.
 */
export class Turnstile {
  readonly #options: TurnstileOptions;
  readonly #tally: Tally;
  #waiting: Waiting[] = [];
  #isReading = false;

  constructor(options: TurnstileOptions) {
    this.#options = options;
    this.#tally = new Tally(options.key, options.windowAt(options.clock.now()));
  }

  /** True if its window has ended and no caller waits: it can be dropped, and another created for the key. */
  get isOver(): boolean {
    return !this.#isReading && !this.#isCurrent();
  }

  /** Takes `units` of the `most` in the window, or nothing. Asks the source only if the outcome is not known here. */
  pass(units: number, most: number): Promise<Allowance> {
    const known = this.#waiting.length === 0 ? this.#judge(units, most) : null;
    return known === null ? this.#wait(units, most) : Promise.resolve(known);
  }

  /** Returns the units of a request that was let through; resolves when the source knows, or if its window is over. */
  async giveBack(units: number, most: number, taken: Allowance): Promise<void> {
    if (this.#tally.window.endsAt !== taken.resetsAt) return;
    this.#tally.giveBack(units);
    await this.#wait(0, most);
  }

  /** Returns what was taken ahead of a quota; resolves when the source knows. */
  async returnQuota(): Promise<void> {
    const { isQuota } = this.#options;
    if (isQuota && this.#isCurrent() && this.#tally.giveUpStock() > 0) await this.#wait(0, 0);
  }

  /** True if nothing is left, as far as is known without a request. */
  isExhausted(most: number): boolean {
    return this.#isCurrent() && this.#tally.isKnownToLack(1, most, this.#options.clock.monotonicMs());
  }

  #isCurrent(): boolean {
    return isCurrent(this.#tally.window, this.#options.clock.now());
  }

  /** Null if the source has to be asked. */
  #judge(units: number, most: number): Allowance | null {
    const isAllowed = this.#tally.spend(units);
    if (!isAllowed && !this.#tally.isKnownToLack(units, most, this.#options.clock.monotonicMs())) return null;
    const { startsAt, endsAt } = this.#tally.window;
    const windowSeconds = (endsAt - startsAt) / 1_000;
    return { limit: most, remaining: this.#tally.remainingOf(most), resetsAt: endsAt, isAllowed, windowSeconds };
  }

  #wait(units: number, most: number): Promise<Allowance> {
    return new Promise((resolve) => {
      this.#waiting.push({ units, most, resolve });
      if (!this.#isReading) void this.#askForAll();
    });
  }

  /** Every round answers at least the first who waits: its units are there now, or are known not to be. */
  async #askForAll(): Promise<void> {
    const { source, clock, windowAt } = this.#options;
    this.#isReading = true;
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      if (!this.#isCurrent()) this.#tally.turnTo(windowAt(clock.now()));
      const ask = this.#askFor(first);
      const taken = await source.take(ask);
      if (taken === null) this.#tally.takeAlone(ask, clock.monotonicMs());
      else this.#tally.take(ask, taken, clock.monotonicMs());
      this.#answer();
    }
    this.#isReading = false;
  }

  /** Answers the waiting requests; if their window has ended, only the first, for which the store was asked. */
  #answer(): void {
    let answered = 0;
    const waiting = this.#isCurrent() ? this.#waiting : this.#waiting.slice(0, 1);
    for (const { units, most, resolve } of waiting) {
      const allowance = this.#judge(units, most);
      if (allowance === null) break;
      resolve(allowance);
      answered += 1;
    }
    this.#waiting = this.#waiting.slice(answered);
  }

  /** For the first who waits and, at once, for those behind who want the same. */
  #askFor({ units, most }: Waiting): Ask {
    if (units === 0) return this.#tally.ask({ most, size: 1, count: 0 });
    const { source, shareAhead } = this.#options;
    const size = units - this.#tally.stock;
    const needed = size === units ? this.#leadingAlike() : 1;
    const ahead = source.isOurs() ? Math.ceil(Math.ceil(most * shareAhead) / size) : 0;
    return this.#tally.ask({ most, size, count: Math.max(needed, ahead) });
  }

  #leadingAlike(): number {
    const [first] = this.#waiting;
    const other = this.#waiting.findIndex(({ units, most }) => units !== first?.units || most !== first.most);
    return other === -1 ? this.#waiting.length : other;
  }
}
