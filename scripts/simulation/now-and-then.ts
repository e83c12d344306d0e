import type { SeededRandom } from './random.js';
import type { World } from './world.js';

interface NowAndThenParts {
  readonly world: Pick<World, 'after'>;
  readonly random: SeededRandom;
  readonly meanMs: number;
  readonly act: () => void;
}

/** Something that is done again and again, at random times `meanMs` apart on the average, until told to stop. */
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

  /** From now on it is done this seldom. */
  slowDown(meanMs: number): void {
    this.#meanMs = meanMs;
  }

  stop(): void {
    this.#isStopped = true;
  }
}
