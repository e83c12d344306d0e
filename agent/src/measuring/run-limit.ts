import type { Clock } from '@vantage/shared/clock.js';
import { ProbeFailure } from '../probes/failure.js';

/** An engine that was aborted has this long to return what it measured; then it is answered for. */
export const ABORT_GRACE_MS = 1000;

/** The end of one probe: its deadline or its cancellation, whichever comes first, and the grace after it. */
export class RunLimit {
  /** Resolves when the grace is over and nobody answered. */
  readonly overdue: Promise<null>;
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  #cancelTimer: () => void;
  #giveUp: () => void = () => undefined;

  constructor(clock: Clock, deadlineMs: number) {
    this.#clock = clock;
    this.overdue = new Promise((resolve) => {
      this.#giveUp = () => resolve(null);
    });
    this.#cancelTimer = clock.after(deadlineMs, () => {
      this.abort(new ProbeFailure('timeout', `no answer within ${deadlineMs} ms`));
    });
  }

  /** Aborted with a ProbeFailure as its reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Begins the grace; only the first call counts. */
  abort(failure: ProbeFailure): void {
    if (this.signal.aborted) return;
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.after(ABORT_GRACE_MS, this.#giveUp);
    this.#controller.abort(failure);
  }

  /** Stops the timers. */
  end(): void {
    this.#cancelTimer();
  }
}
