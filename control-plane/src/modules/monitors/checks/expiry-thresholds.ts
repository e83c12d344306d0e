const DAY_MS = 86_400_000;

/** Expiry that is near or past. */
export interface NearEnd {
  readonly expiresAt: Date;
  /** Whole days left; negative after the expiry. */
  readonly daysLeft: number;
  /** Passed thresholds, the smallest first. */
  readonly thresholds: readonly number[];
}

/** Thresholds that an expiry at `moment` (ISO 8601) has passed; null if there is none, or the moment is invalid. */
export function passedThresholds(moment: string, thresholds: readonly number[], nowMs: number): NearEnd | null {
  const atMs = Date.parse(moment);
  if (Number.isNaN(atMs)) return null;
  const daysLeft = Math.floor((atMs - nowMs) / DAY_MS);
  const passed = [...new Set(thresholds)].filter((days) => daysLeft <= days).sort((a, b) => a - b);
  return passed.length === 0 ? null : { expiresAt: new Date(atMs), daysLeft, thresholds: passed };
}
