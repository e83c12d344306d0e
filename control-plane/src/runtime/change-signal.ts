import type { Clock } from '@vantage/shared/clock.js';

/** Signal that stays raised until it is read. */
export class ChangeSignal {
  #isRaised = false;
  #wake: (() => void) | null = null;

  constructor(private readonly clock: Clock) {}

  raise(): void {
    this.#isRaised = true;
    this.#wake?.();
  }

  /** Resolves with true at the next change, at once if one came since the last call; with false after `mostMs` without one. */
  async next(mostMs: number): Promise<boolean> {
    if (!this.#isRaised) {
      await new Promise<void>((resolve) => {
        const cancel = this.clock.after(mostMs, resolve);
        this.#wake = () => {
          cancel();
          resolve();
        };
      });
    }
    const isRaised = this.#isRaised;
    this.#isRaised = false;
    this.#wake = null;
    return isRaised;
  }
}
