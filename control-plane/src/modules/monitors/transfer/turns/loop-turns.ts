import type { Clock } from '@vantage/shared/clock.js';
import { laterTurn } from '../../../../runtime/slices.js';

/** Work after which the event loop is yielded, in milliseconds. */
const TURN_MS = 5;

/** Divides work into short turns of the event loop by time, since its steps differ too much to be counted; all such work shares one budget. */
export class LoopTurns {
  #beganMs: number;

  constructor(private readonly clock: Clock) {
    this.#beganMs = clock.monotonicMs();
  }

  /** Yields between two steps of the work if others are due. */
  async pass(): Promise<void> {
    if (this.clock.monotonicMs() - this.#beganMs < TURN_MS) return;
    await laterTurn();
    this.#beganMs = this.clock.monotonicMs();
  }
}
