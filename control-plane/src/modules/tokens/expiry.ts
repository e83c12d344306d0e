import type { FieldError, Validation } from '@vantage/shared/validation.js';

const DAY_MS = 86_400_000;

/** The two forms of an expiry, of which a request may have at most one. */
export interface ExpiryRequest {
  readonly expires_days?: number;
  readonly expires_at?: string | null;
}

/** Checks an expiry; null if the request has none. The latest one is `maxDays` after `nowMs`, to the millisecond. */
export function checkExpiry(
  { expires_days: days, expires_at: at = null }: ExpiryRequest,
  { nowMs, maxDays }: { readonly nowMs: number; readonly maxDays: number },
): Validation<Date | null> {
  if (days !== undefined && at !== null) return refused('conflict', 'must not be sent together with expires_days');
  if (days !== undefined) return { ok: true, value: daysFrom(nowMs, days) };
  if (at === null) return { ok: true, value: null };
  const endsAt = new Date(at);
  // values that the schema accepts and Date can't parse: a leap second, an offset without minutes
  if (Number.isNaN(endsAt.getTime())) return refused('format', 'must be a date and time such as 2026-01-31T12:00:00Z');
  if (endsAt.getTime() <= nowMs) return refused('range', 'must be in the future');
  if (endsAt > daysFrom(nowMs, maxDays)) return refused('range', `must be at most ${maxDays} days from now`);
  return { ok: true, value: endsAt };
}

/** Adds a number of days of 24 hours. */
export function daysFrom(nowMs: number, days: number): Date {
  return new Date(nowMs + days * DAY_MS);
}

function refused(code: FieldError['code'], message: string): Validation<never> {
  return { ok: false, details: { expires_at: [{ code, message }] } };
}
