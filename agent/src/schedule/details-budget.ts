/** Details of a monitor that are told in a row at most. */
const MOST = 20;
/** How often one more is. */
const REFILL_MS = 900_000;

interface Purse {
  left: number;
  atMs: number;
}

/**
 * How many checks of a monitor are told with details: a target that is down for a week, or up and down all the time, is not told
 * about at length each time. The first twenty are, then one every quarter of an hour, and always room is left for the check that ends it.
 */
export class DetailsBudget {
  readonly #purses = new WeakMap<object, Purse>();

  /** Whether details of a check are told. `nowMs`: monotonic. `endsIt`: it is the first good one after others. */
  take(monitor: object, nowMs: number, endsIt: boolean): boolean {
    const purse = this.#purses.get(monitor) ?? { left: MOST + 1, atMs: nowMs };
    purse.left = Math.min(MOST + 1, purse.left + (nowMs - purse.atMs) / REFILL_MS);
    purse.atMs = nowMs;
    this.#purses.set(monitor, purse);
    if (purse.left < (endsIt ? 1 : 2)) return false;
    purse.left -= 1;
    return true;
  }
}
