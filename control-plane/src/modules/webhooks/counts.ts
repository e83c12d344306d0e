import type { Clock } from '@vantage/shared/clock.js';

/** Time for which a count is cached. */
const KEPT_MS = 15_000;

/** Caches a count of the database for metrics; null while the database does not respond. */
export function cachedCount<T>(clock: Clock, count: () => Promise<T>): () => Promise<T | null> {
  let counted: Promise<T | null> = Promise.resolve(null);
  let countedAtMs: number | null = null;
  return () => {
    const nowMs = clock.monotonicMs();
    if (countedAtMs === null || nowMs - countedAtMs >= KEPT_MS) {
      countedAtMs = nowMs;
      counted = count().catch(() => null);
    }
    return counted;
  };
}
