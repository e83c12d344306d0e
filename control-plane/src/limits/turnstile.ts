import type { Clock } from '@vantage/shared/clock.js';
import type { Allowance } from '../http/rate-limit.js';
import { type Ask, type Taken, Tally } from './tally.js';
import type { Window } from './window.js';

/** Where turnstiles get their units. */
export interface UnitSource {
  /** Resolves with null when this replica has to go on alone; never rejects. */
  take(ask: Ask): Promise<Taken | null>;
  /** Whether nobody else takes from it: then units may be taken ahead, to be spent without asking. */
  isOurs(): boolean;
}

interface TurnstileOptions {
  readonly key: string;
  readonly window: Window;
  /** Part of a limit to take at once while the source is ours: 0 for what is needed and no more. */
  readonly shareAhead: number;
  readonly source: UnitSource;
  readonly clock: Clock;
}

interface Waiting {
  /** Units; 0: waits only until the source knows what was given back. */
  readonly units: number;
  readonly most: number;
  readonly resolve: (allowance: Allowance) => void;
}

/** Lets requests of one key through, in the order they came, while there are units left in the window. */
export class Turnstile {
  readonly #options: TurnstileOptions;
  readonly #tally: Tally;
  #waiting: Waiting[] = [];
  #isAsking = false;

  constructor(options: TurnstileOptions) {
    this.#options = options;
    this.#tally = new Tally(options.key, options.window);
  }

  get window(): Window {
    return this.#tally.window;
  }

  /** Takes `units` of the `most` there are, or nothing. Asks the source only when the answer is not known here. */
  pass(units: number, most: number): Promise<Allowance> {
    const known = this.#waiting.length === 0 ? this.#judge(units, most) : null;
    return known === null ? this.#wait(units, most) : Promise.resolve(known);
  }

  /** Gives back what a request was let through for; resolves when the source knows. */
  async giveBack(units: number, most: number): Promise<void> {
    this.#tally.giveBack(units);
    await this.#wait(0, most);
  }

  /** Whether it is known, without asking, that nothing is left. */
  isExhausted(most: number): boolean {
    return this.#tally.isKnownToLack(1, most, this.#options.clock.monotonicMs());
  }

  /** Null: the source has to be asked. */
  #judge(units: number, most: number): Allowance | null {
    const isAllowed = this.#tally.spend(units);
    if (!isAllowed && !this.#tally.isKnownToLack(units, most, this.#options.clock.monotonicMs())) return null;
    return { limit: most, remaining: this.#tally.remainingOf(most), resetsAt: this.window.endsAt, isAllowed };
  }

  #wait(units: number, most: number): Promise<Allowance> {
    return new Promise((resolve) => {
      this.#waiting.push({ units, most, resolve });
      if (!this.#isAsking) void this.#askForAll();
    });
  }

  /** Every round answers at least the first who waits: its units are there now, or are known not to be. */
  async #askForAll(): Promise<void> {
    const { source, clock } = this.#options;
    this.#isAsking = true;
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      const ask = this.#askFor(first);
      const taken = await source.take(ask);
      if (taken === null) this.#tally.takeAlone(ask, clock.monotonicMs());
      else this.#tally.take(ask, taken, clock.monotonicMs());
      this.#answer();
    }
    this.#isAsking = false;
  }

  #answer(): void {
    let answered = 0;
    for (const { units, most, resolve } of this.#waiting) {
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
