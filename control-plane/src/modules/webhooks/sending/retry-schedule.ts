const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delays after each failed attempt; the last attempt is the one after the last delay. */
const DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
/** Greatest share of a delay by which it is shortened or lengthened at random. */
const JITTER = 0.1;

/** Greatest number of attempts at one delivery. */
export const MAX_ATTEMPTS = DELAYS_MS.length + 1;
const LONGEST_REQUESTED_MS = 24 * HOUR_MS;
const SHORTEST_REQUESTED_MS = 5 * SECOND_MS;

/**
 * Delay before the next attempt, after `failedAttempts` failed ones; null if there is none. `requestedMs`: Retry-After of the
 * response, which replaces the delay within bounds; null if there is none. `random`: from 0 to 1.
 */
export function delayAfter(
  failedAttempts: number,
  { requestedMs, random }: { readonly requestedMs: number | null; readonly random: number },
): number | null {
  const delayMs = DELAYS_MS[failedAttempts - 1];
  if (delayMs === undefined) return null;
  if (requestedMs !== null) return Math.min(LONGEST_REQUESTED_MS, Math.max(SHORTEST_REQUESTED_MS, requestedMs));
  return Math.round(delayMs * (1 + JITTER * (2 * random - 1)));
}
