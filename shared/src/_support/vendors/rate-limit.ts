/** Limit of a vendor: at most `count` of one key in any window of `perMs`. */
export class RateLimit {
  readonly #taken = new Map<string, number[]>();

  constructor(
    private readonly count: number,
    private readonly perMs: number,
  ) {}

  /** Takes one at `nowMs`; returns the time until the next one may be taken, 0 if this one was. */
  take(key: string, nowMs: number): number {
    const recent = (this.#taken.get(key) ?? []).filter((atMs) => atMs > nowMs - this.perMs);
    this.#taken.set(key, recent);
    if (recent.length < this.count) {
      recent.push(nowMs);
      return 0;
    }
    return (recent[0] ?? nowMs) + this.perMs - nowMs;
  }
}
