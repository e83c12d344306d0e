import { readHttpDate } from './http-date.js';

/** Header Retry-After, seconds or a date (RFC 9110 section 10.2.3), as milliseconds from `nowMs` on, 0 or more; null when it is neither. */
export function retryAfterMs(value: string | null | undefined, nowMs: number): number | null {
  const text = value?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const dateMs = readHttpDate(text);
  return dateMs === null ? null : Math.max(0, dateMs - nowMs);
}
