import type { Window } from './window.js';

// State of one window on one replica:
//
//   |<------------- used: taken by all replicas ------------->|<--- left --->| most
//                        |<- stock: taken here, not spent ->|
//                |<- owed: taken here while the store was away: it has not heard of it ->|   (negative: given back)

/** Request of a replica to a window: as many as fit of `count` portions of `size` units. */
export interface Ask extends Window {
  readonly key: string;
  /** Units in the window. */
  readonly most: number;
  /** Units, at least 1. */
  readonly size: number;
  /** 0 or more. */
  readonly count: number;
  /** Units to be counted before anything is granted; negative for what comes back. */
  readonly owed: number;
}

/** Units granted. The window is a different one if the store is already in the next. */
export interface Taken extends Window {
  /** Portions. */
  readonly granted: number;
  /** Units taken from the window by all replicas, these included. */
  readonly used: number;
}

/** Number of portions that fit into the rest of a window. NOTE: the statement in store.ts says the same in SQL. */
export function fittingPortions(used: number, { most, size, count }: Pick<Ask, 'most' | 'size' | 'count'>): number {
  return Math.max(0, Math.min(count, Math.floor((most - used) / size)));
}

// others may return units: an exhausted window of a day is queried again after this time
const BELIEVED_MS = 60_000;

/** The units of one window, as far as this replica knows. Does no I/O. */
export class Tally {
  #window: Window;
  #used = 0;
  #stock = 0;
  #owed = 0;
  /** Monotonic; null if nothing is known yet. */
  #heardMs: number | null = null;

  constructor(
    readonly key: string,
    window: Window,
  ) {
    this.#window = window;
  }

  get window(): Window {
    return this.#window;
  }

  get stock(): number {
    return this.#stock;
  }

  /** Begins another window: what was taken, or is owed, in the one before is of no use there. */
  turnTo(window: Window): void {
    this.#window = window;
    this.#used = 0;
    this.#stock = 0;
    this.#owed = 0;
    this.#heardMs = null;
  }

  /** Units of `most` that no one has been given, 0 to `most`. */
  remainingOf(most: number): number {
    return Math.max(0, Math.min(most, most - this.#used + this.#stock));
  }

  /** Spends units of the stock, or nothing if there are too few. */
  spend(units: number): boolean {
    if (this.#stock < units) return false;
    this.#stock -= units;
    return true;
  }

  /** True if a request for `units` would be refused: too few were left at the last reply, a minute ago at most. */
  isKnownToLack(units: number, most: number, nowMs: number): boolean {
    if (this.#heardMs === null || nowMs - this.#heardMs >= BELIEVED_MS) return false;
    return this.#used - this.#stock + units > most;
  }

  /** Request to the store for portions; it also settles the units owed. */
  ask(portions: Pick<Ask, 'most' | 'size' | 'count'>): Ask {
    return { key: this.key, ...this.#window, ...portions, owed: this.#owed };
  }

  /** Takes in what the store granted. */
  take(ask: Ask, { startsAt, endsAt, granted, used }: Taken, nowMs: number): void {
    const isSame = startsAt === ask.startsAt && endsAt === ask.endsAt;
    this.#window = { startsAt, endsAt };
    this.#owed = isSame ? this.#owed - ask.owed : 0;
    this.#used = used + this.#owed;
    this.#stock = (isSame ? this.#stock : 0) + granted * ask.size;
    this.#heardMs = nowMs;
  }

  /** Grants by what this replica knows, when the store cannot be asked. */
  takeAlone(ask: Ask, nowMs: number): void {
    const units = fittingPortions(this.#used, ask) * ask.size;
    this.#used += units;
    this.#owed += units;
    this.#stock += units;
    this.#heardMs = nowMs;
  }

  /** Gives up the stock; it is returned to the store with the next query. @returns units */
  giveUpStock(): number {
    const units = this.#stock;
    this.#stock = 0;
    this.giveBack(units);
    return units;
  }

  /** Notes that spent units were not needed; they are returned to the store with the next query. */
  giveBack(units: number): void {
    this.#used -= units;
    this.#owed -= units;
  }
}
