import type { SeededRandom } from '../seeded-random.js';
import type { World } from './world.js';

interface NowAndThenParts {
  readonly world: Pick<World, 'after'>;
  readonly random: SeededRandom;
  readonly meanMs: number;
  readonly act: () => void;
}

/** Repeated action at random times, `meanMs` apart on average, until stopped. */
export class NowAndThen {
  readonly #parts: NowAndThenParts;
  #meanMs: number;
  #isStopped = false;

  constructor(parts: NowAndThenParts) {
    this.#parts = parts;
    this.#meanMs = parts.meanMs;
  }

  start(): void {
    const { world, random, act } = this.#parts;
    world.after(random.between(0, 2 * this.#meanMs), () => {
      if (this.#isStopped) return;
      act();
      this.start();
    });
  }

  /** Sets a longer mean interval. */
  slowDown(meanMs: number): void {
    this.#meanMs = meanMs;
  }

  stop(): void {
    this.#isStopped = true;
  }
}
