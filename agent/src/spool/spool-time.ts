import type { Clock } from '@vantage/shared/clock.js';

/** Both clocks at the last commit. */
export interface SavedTime {
  readonly spoolMs: number;
  readonly wallMs: number;
}

/**
 * The spool's own time, milliseconds, on which its rows age: monotonic while the agent runs, so that a wall clock set
 * ten years ahead expires nothing. Across a restart, which only the wall clock covers, it continues by that clock's
 * difference, and never backwards.
 */
export class SpoolTime {
  readonly #clock: Clock;
  readonly #baseMs: number;
  readonly #startedMs: number;

  constructor(clock: Clock, saved: SavedTime | null) {
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
    this.#baseMs = saved === null ? clock.now() : saved.spoolMs + Math.max(0, clock.now() - saved.wallMs);
  }

  now(): number {
    return this.#baseMs + (this.#clock.monotonicMs() - this.#startedMs);
  }

  /** The instant of `spoolMs` on the wall clock as it stands now. */
  toWall(spoolMs: number): number {
    return this.#clock.now() - (this.now() - spoolMs);
  }
}
