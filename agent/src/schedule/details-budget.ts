/** Greatest number of consecutive checks of a monitor that report details. */
const MOST = 20;
/** Interval after which one more check may have details. */
const REFILL_MS = 900_000;

interface Purse {
  left: number;
  atMs: number;
}

/**
 * Limits the number of checks of a monitor that are reported with details, so that a target that is down for a week,
 * or flapping, does not cause long reports each time. The first twenty have details, then one every quarter of an
 * hour, and there is always room for the check that ends it.
 */
export class DetailsBudget {
  readonly #purses = new WeakMap<object, Purse>();

  /**
   * Takes from the monitor's budget, and returns true if the details of a check are reported. `nowMs`: monotonic.
   * `endsIt`: it is the first good check after others.
   */
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
