import type { MessageKind } from '../types/message.js';

const S = 1_000;
const MINUTE = 60 * S;
const HOUR = 60 * MINUTE;

/** Delays after the first attempts, in milliseconds; the last one repeats. */
export const retryDelaysMs: readonly number[] = [5 * S, 15 * S, 30 * S, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE];
/** Share by which delays vary, so that messages that failed together do not return together. */
export const JITTER = 0.2;
/** Longest delay that a response may ask for. */
export const MAX_RETRY_AFTER_MS = HOUR;

/** Least delay before the next attempt, as the outcome of the last one wants it, or null. */
export function requestedDelay({
  retryAfterMs,
  isOfVendor,
}: {
  readonly retryAfterMs: number | null;
  readonly isOfVendor?: true;
}): number | null {
  if (retryAfterMs === null || isOfVendor) return retryAfterMs;
  return Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
}

/** Time after its creation until which a message is tried, in milliseconds; 0: once. */
export function lifeMsOf(kind: MessageKind): number {
  if (kind === 'test') return 0;
  return kind === 'resolved' ? 72 * HOUR : 24 * HOUR;
}

/** Longest time for which any message is tried. */
export const LONGEST_LIFE_MS = 72 * HOUR;

/**
 * Delay before the next attempt. `tries`: attempts so far, at least 1. `random`: 0 to 1. `leastMs`: as of `requestedDelay`.
 */
export function delayAfter(tries: number, random: number, leastMs: number | null): number {
  const base = retryDelaysMs[Math.min(tries, retryDelaysMs.length) - 1] ?? 0;
  const varied = Math.round(base * (1 + JITTER * (2 * random - 1)));
  return Math.max(varied, leastMs ?? 0);
}
