import { boundsOf, isLoopback } from '../limits/caller-networks.js';

/** Counts what each address holds at once: a limit for a subscriber, and one for its site. Loopback is exempt. */
export class HeldAtOnce {
  readonly #held = new Map<string, number>();

  constructor(private readonly most: number) {}

  /** Networks that hold something. */
  get size(): number {
    return this.#held.size;
  }

  /** Takes one unit; null if its address has all it may hold. The returned function gives the unit back, once. */
  take(address: string): (() => void) | null {
    if (isLoopback(address)) return () => {};
    const bounds = boundsOf(address, this.most);
    if (bounds.some(({ key, most }) => this.#countOf(key) >= most)) return null;
    for (const { key } of bounds) this.#held.set(key, this.#countOf(key) + 1);
    let isHeld = true;
    return () => {
      if (isHeld) for (const { key } of bounds) this.#giveBack(key);
      isHeld = false;
    };
  }

  #countOf(key: string): number {
    return this.#held.get(key) ?? 0;
  }

  #giveBack(key: string): void {
    const left = this.#countOf(key) - 1;
    if (left > 0) this.#held.set(key, left);
    else this.#held.delete(key);
  }
}
