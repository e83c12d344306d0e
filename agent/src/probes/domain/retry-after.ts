/** Longest delay that a refusal can ask for, in seconds: a day. */
export const MAX_RETRY_S = 86_400;

/** Header Retry-After, seconds or a date (RFC 9110 section 10.2.3), as seconds from now; null when it is neither. */
export function retryAfterSeconds(value: string | null, nowMs: number): number | null {
  const text = value?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Math.min(Number(text), MAX_RETRY_S);
  const dateMs = /^[A-Z][a-z]{2},? /.test(text) ? Date.parse(inUtc(text)) : Number.NaN;
  return Number.isNaN(dateMs) ? null : Math.min(Math.max(0, Math.ceil((dateMs - nowMs) / 1000)), MAX_RETRY_S);
}

/** The form of C's asctime has no zone, and is in UTC (RFC 9110 section 5.6.7), whatever the zone of the node. */
function inUtc(date: string): string {
  return /\d{4}$/.test(date) ? `${date} GMT` : date;
}
