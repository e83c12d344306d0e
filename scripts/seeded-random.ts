/** Numbers that follow from a seed, and from nothing else. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e37_79b9) >>> 0;
    // neighbouring seeds have nothing in common after a few steps
    for (let i = 0; i < 8; i += 1) this.next();
  }

  /** 0 <= r < 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b_79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** A generator of its own: what one part draws changes nothing for the others. */
  fork(): SeededRandom {
    return new SeededRandom(Math.floor(this.next() * 0x1_0000_0000));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** least <= n < most. */
  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  /** Like `between`, each order of magnitude as likely as any other. */
  magnitude(least: number, most: number): number {
    return least * (most / least) ** this.next();
  }

  /** Whole numbers, both ends included. */
  integer(least: number, most: number): number {
    return Math.floor(this.between(least, most + 1));
  }

  /** Whole numbers 0 <= n < limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** @throws RangeError for nothing to choose from */
  pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new RangeError('nothing to choose from');
    return value;
  }

  bytes(count: number): Buffer {
    return Buffer.from(Uint8Array.from({ length: count }, () => this.below(256)));
  }
}
