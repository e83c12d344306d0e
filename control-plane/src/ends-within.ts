import { delay, systemClock } from '@vantage/shared/clock.js';

/**
 * How long the parts may take to end. Longer takes only what waits for a database that does not answer, and nobody has been told
 * that it is stored. An embedded database is given the time it needs.
 */
export const STOP_MS = 20_000;

/** Whether `work` ends within this time. @throws what it fails with by then */
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
