import type { Clock } from '@vantage/shared/clock.js';

/**
 * Calls that are made together when what has arrived at this process so far has been read. Writes of one turn that follow one
 * another find the process that reads them awake; each between other work would wake it again, which costs more than the write.
 */
export class EndOfTurn {
  readonly #clock: Pick<Clock, 'afterInput'>;
  #calls: (() => void)[] = [];

  constructor(clock: Pick<Clock, 'afterInput'>) {
    this.#clock = clock;
  }

  /** Calls back at the end of this turn, after the calls that were added before. */
  add(call: () => void): void {
    this.#calls.push(call);
    if (this.#calls.length === 1) this.#clock.afterInput(() => this.#callAll());
  }

  #callAll(): void {
    const calls = this.#calls;
    this.#calls = [];
    for (const call of calls) call();
  }
}
