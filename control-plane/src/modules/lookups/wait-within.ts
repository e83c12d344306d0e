import type { Clock } from '@vantage/shared/clock.js';

interface Limits {
  readonly clock: Clock;
  readonly ms: number;
  /** Aborted when no one waits any more. */
  readonly signal: AbortSignal;
}

/** Value of a promise; null after `ms`, or when no one waits any more. The promise goes on. */
export async function waitWithin<T>(promise: Promise<T>, { clock, ms, signal }: Limits): Promise<T | null> {
  let end = () => {};
  const limit = new Promise<null>((resolve) => {
    const leave = () => resolve(null);
    const cancel = clock.after(ms, leave);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    end = () => {
      cancel();
      signal.removeEventListener('abort', leave);
    };
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    end();
  }
}
