import type { Logger } from 'pino';

/**
 * Functions that stop the started parts, in the order of starting; shutdown and a failed start call them in reverse.
 */
export class Stops {
  readonly #stops: (() => void | Promise<void>)[] = [];
  readonly #log: Logger;
  #unwinding: Promise<void> | null = null;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Something runs now: this ends it. */
  push(stop: () => void | Promise<void>): void {
    this.#stops.push(stop);
  }

  /** Ends all of it, the last first; what fails to end is logged. May be called twice. */
  unwind(): Promise<void> {
    this.#unwinding ??= this.#unwind();
    return this.#unwinding;
  }

  async #unwind(): Promise<void> {
    for (let stop = this.#stops.pop(); stop; stop = this.#stops.pop()) {
      try {
        await stop();
      } catch (error) {
        this.#log.error({ err: error }, 'part did not stop cleanly');
      }
    }
  }
}
