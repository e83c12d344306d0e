import { delay, systemClock } from '@vantage/shared/clock.js';

/**
 * Time that the parts get to end. Only work that waits for a database without replies takes longer, and no caller has
 * been notified that it is stored. An embedded database gets the time it needs.
 */
export const STOP_MS = 20_000;

/** Resolves with true if `work` ends within `ms` milliseconds. @throws the error that it fails with by then */
export function endsWithin(ms: number, work: Promise<void>): Promise<boolean> {
  const waiting = new AbortController();
  const ended = work.then(() => true).finally(() => waiting.abort());
  return Promise.race([
    ended,
    delay(systemClock, ms, waiting.signal).then(
      () => false,
      () => true,
    ),
  ]);
}
