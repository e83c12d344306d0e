import type { Clock } from '@vantage/shared/clock.js';

/** Wakes those who wait for the end of another replica's question. A wake-up is a hint to read again. */
export class WakeUps {
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(private readonly clock: Clock) {}

  wake(key: string): void {
    for (const wake of this.#waiting.get(key) ?? []) wake();
  }

  /** Resolves at the next wake-up of the key, and after `mostMs` without one. */
  async next(key: string, mostMs: number, signal: AbortSignal): Promise<void> {
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting);
    let end = () => {};
    await new Promise<void>((resolve) => {
      const cancel = this.clock.after(mostMs, resolve);
      end = () => {
        cancel();
        signal.removeEventListener('abort', resolve as () => void);
        waiting.delete(resolve);
      };
      waiting.add(resolve);
      signal.addEventListener('abort', resolve as () => void, { once: true });
      if (signal.aborted) resolve();
    });
    end();
    if (waiting.size === 0) this.#waiting.delete(key);
  }
}
