import type { Clock } from '@vantage/shared/clock.js';
import { MIN_BYTES_PER_SECOND, RATE_GRACE_MS } from './limits.js';

const CHECK_INTERVAL_MS = 1000;

export interface RateWatch {
  readonly clock: Clock;
  /** Bytes that have arrived so far. */
  readonly receivedBytes: () => number;
  /** Called once, when the rate is too low. */
  readonly onTooSlow: () => void;
}

/** Watches the mean rate of an answer that begins now, from its fifth second on; returns how to stop. */
export function watchRate({ clock, receivedBytes, onTooSlow }: RateWatch): () => void {
  const startedAt = clock.monotonicMs();
  const check = () => {
    const seconds = (clock.monotonicMs() - startedAt) / 1000;
    if (receivedBytes() < seconds * MIN_BYTES_PER_SECOND) onTooSlow();
    else cancel = clock.after(CHECK_INTERVAL_MS, check);
  };
  let cancel = clock.after(RATE_GRACE_MS, check);
  return () => cancel();
}
