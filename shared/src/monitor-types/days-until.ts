import type { TlsReport } from '../probe-types/tls-report.js';

const DAY_MS = 86_400_000;

/** Whole days from `nowMs` until a moment (ISO 8601), negative once it is over; null where it is not known. */
export function daysUntil(moment: string | null, nowMs: number): number | null {
  const atMs = moment === null ? Number.NaN : Date.parse(moment);
  return Number.isNaN(atMs) ? null : Math.floor((atMs - nowMs) / DAY_MS);
}

/** Whole days until the certificate of a server, or one of its authorities, ends. */
export interface Remaining {
  /** Negative after that; null without a certificate. */
  readonly daysRemaining: number | null;
  /** Subject of the authority whose certificate ends first; null if the server's own does. */
  readonly endsFirst: string | null;
}

/** Validity that a server has left: the path that clients use is valid as long as each certificate on it. */
export function remainingOf(tls: Pick<TlsReport, 'not_after' | 'ends_first'> | null, nowMs: number): Remaining {
  const { not_after: own = null, ends_first: earlier } = tls ?? {};
  return { daysRemaining: daysUntil(earlier?.not_after ?? own, nowMs), endsFirst: earlier?.subject ?? null };
}
