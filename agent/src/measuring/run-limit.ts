import type { Clock } from '@vantage/shared/clock.js';
import { PlainAbortSignal } from '../net/plain-abort-signal.js';
import type { ProbeFailure } from '../probes/failure.js';

/** An engine that was aborted has this long to return what it measured; then it is answered for. */
export const ABORT_GRACE_MS = 1000;

/** The end of one probe: its time is up or it is cancelled, whichever comes first, and the grace after it. */
export class RunLimit {
  /** Aborted with a ProbeFailure as its reason. */
  readonly signal: AbortSignal;
  /** Resolves when the grace has ended without a result. */
  readonly overdue: Promise<null>;
  readonly #clock: Clock;
  readonly #signal = new PlainAbortSignal();
  #cancelTimer: () => void = () => undefined;
  #giveUp: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.signal = this.#signal;
    this.overdue = new Promise((resolve) => {
      this.#giveUp = () => resolve(null);
    });
  }

  /** Aborts after `ms`; takes the place of the limit set before. */
  endAfter(ms: number, failure: () => ProbeFailure): void {
    if (this.signal.aborted) return;
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.after(ms, () => this.abort(failure()));
  }

  /** Starts the grace period; only the first call counts. */
  abort(failure: ProbeFailure): void {
    if (this.signal.aborted) return;
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.after(ABORT_GRACE_MS, this.#giveUp);
    this.#signal.abort(failure);
  }

  /** Stops the timers. */
  end(): void {
    this.#cancelTimer();
  }
}
