import type { Clock } from '@vantage/shared/clock.js';

/** Caches a count of the database for metrics, five seconds unless `keptMs` is given; null while the database does not respond. */
export function cachedCount<T>(clock: Clock, count: () => Promise<T>, keptMs = 5_000): () => Promise<T | null> {
  let counted: Promise<T | null> = Promise.resolve(null);
  let countedAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = clock.monotonicMs();
    if (nowMs - countedAtMs >= keptMs) {
      countedAtMs = nowMs;
      counted = count().catch(() => null);
    }
    return counted;
  };
}
