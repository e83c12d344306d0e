import type { Clock } from '@vantage/shared/clock.js';

const KEPT_MS = 5_000;

/** Counts something for metrics, at most every five seconds; null when the database does not respond. */
export function counted<T>(clock: Clock, count: () => Promise<T>): () => Promise<T | null> {
  let last: Promise<T | null> = Promise.resolve(null);
  let countedAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = clock.monotonicMs();
    if (nowMs - countedAtMs >= KEPT_MS) {
      countedAtMs = nowMs;
      last = count().catch(() => null);
    }
    return last;
  };
}
