import type { FailureRow } from './sign-in-store.js';

/** Time without a failure after which a count is reset, in milliseconds. */
export const FORGET_AFTER_MS = 24 * 3_600_000;

/** Growth of the waits under one key: none for the first failures, then twice as long each time, up to a maximum. */
export interface Waits {
  readonly freeFailures: number;
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Waits of a network, over all accounts and for each account: 1, 2, 4 … 60 s from the sixth wrong password on. */
export const networkWaits: Waits = { freeFailures: 5, firstMs: 1_000, maxMs: 60_000 };

/**
 * Waits of an account over all networks that are not known to it: 1, 2, 4 … 900 s from the 101st wrong password on. NIST
 * SP 800-63B section 5.2.2 allows 100 wrong ones in a row; 900 s lets about as many through on each further day.
 */
export const accountWaits: Waits = { freeFailures: 100, firstMs: 1_000, maxMs: 900_000 };

/** Time that the next attempt has to wait after the n-th failure in a row, in milliseconds. */
export function delayAfterMs(failures: number, { freeFailures, firstMs, maxMs }: Waits): number {
  if (failures <= freeFailures) return 0;
  return Math.min(maxMs, firstMs * 2 ** Math.min(failures - freeFailures - 1, 20));
}

/** Row after one more failure at `now` (milliseconds since the epoch). */
export function countFailure(row: FailureRow, now: number, waits: Waits): FailureRow {
  const isForgotten = now - row.failed_at.getTime() >= FORGET_AFTER_MS;
  const failures = (isForgotten ? 0 : row.failures) + 1;
  const delayMs = delayAfterMs(failures, waits);
  return { ...row, failures, failed_at: new Date(now), blocked_until: delayMs === 0 ? null : new Date(now + delayMs) };
}
