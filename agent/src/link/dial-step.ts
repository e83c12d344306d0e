import type { Clock } from '@vantage/shared/clock.js';

/** Each step of dialling has this long, milliseconds: two round trips on the worst of lines, and a packet lost. */
export const STEP_TIMEOUT_MS = 10_000;

/** Limits of one step. */
interface StepBounds {
  /** Name of the step for people: `the proxy`. */
  readonly what: string;
  readonly clock: Clock;
  /** Signal of the whole dial. */
  readonly signal: AbortSignal;
}

/** Runs one step of dialling, whose signal aborts after ten seconds or with the whole. @throws what the step throws */
export async function dialStep<T>(bounds: StepBounds, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { what, clock, signal } = bounds;
  const giveUp = new AbortController();
  const seconds = STEP_TIMEOUT_MS / 1000;
  const cancel = clock.after(STEP_TIMEOUT_MS, () => giveUp.abort(new Error(`${what} took longer than ${seconds} s`)));
  try {
    return await run(AbortSignal.any([signal, giveUp.signal]));
  } finally {
    cancel();
  }
}
