import { retryAfterMs } from '@vantage/shared/headers/retry-after.js';

/** Longest delay that a refusal can ask for, in seconds: a day. */
export const MAX_RETRY_S = 86_400;

/** Header Retry-After as seconds from now, a day at most; null when it is neither seconds nor a date. */
export function retryAfterSeconds(value: string | null, nowMs: number): number | null {
  const ms = retryAfterMs(value, nowMs);
  return ms === null ? null : Math.min(Math.ceil(ms / 1000), MAX_RETRY_S);
}
