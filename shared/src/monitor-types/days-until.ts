const DAY_MS = 86_400_000;

/** Whole days from `nowMs` until a moment (ISO 8601), negative once it is over; null where it is not known. */
export function daysUntil(moment: string | null, nowMs: number): number | null {
  const atMs = moment === null ? Number.NaN : Date.parse(moment);
  return Number.isNaN(atMs) ? null : Math.floor((atMs - nowMs) / DAY_MS);
}
