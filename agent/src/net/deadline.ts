import type { Clock } from '@vantage/shared/clock.js';
import { PlainAbortSignal } from './plain-abort-signal.js';

/** Limit on a duration, and the error when it is exceeded. */
export interface Limit {
  readonly clock: Clock;
  readonly ms: number;
  /** Reason with which the work's signal is aborted at the deadline. */
  readonly reason: () => Error;
}

/**
 * Runs `work` under a signal that fires at whichever comes first: the end of `limit`, or `parent`, whose reason is
 * kept. Nothing is left behind on the parent.
 */
export async function within<T>(
  limit: Limit,
  parent: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limited = new PlainAbortSignal();
  const onParentAbort = () => limited.abort(parent.reason);
  const cancelTimer = limit.clock.after(limit.ms, () => limited.abort(limit.reason()));
  parent.addEventListener('abort', onParentAbort, { once: true });
  if (parent.aborted) onParentAbort();
  try {
    return await work(limited);
  } finally {
    cancelTimer();
    parent.removeEventListener('abort', onParentAbort);
  }
}
