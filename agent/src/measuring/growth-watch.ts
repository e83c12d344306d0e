import type { Clock } from '@vantage/shared/clock.js';

/** A child that holds this much more than when it was fresh is better replaced than fed on, bytes. */
const GROWN_BYTES = 32 * 2 ** 20;
const LOOK_MS = 10_000;
/**
 * Delay before the first look and after each report: memory that heavy load takes for a moment is no reason to start
 * a new process every few seconds, and a successor that could not be started is requested again.
 */
const PATIENCE_MS = 60_000;

export interface GrowthWatchOptions {
  readonly clock: Clock;
  /** Resident memory of this process, bytes. */
  readonly readRss: () => number;
  readonly onGrown: (rssBytes: number) => void;
}

/** Reports when this process has grown by 32 MB since the call, after a minute at the earliest; then once a minute. */
export function watchGrowth({ clock, readRss, onGrown }: GrowthWatchOptions): void {
  const freshBytes = readRss();
  const look = () => {
    const rssBytes = readRss();
    const hasGrown = rssBytes > freshBytes + GROWN_BYTES;
    if (hasGrown) onGrown(rssBytes);
    clock.after(hasGrown ? PATIENCE_MS : LOOK_MS, look, { unref: true });
  };
  clock.after(PATIENCE_MS, look, { unref: true });
}
