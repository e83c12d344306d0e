import type { CheckOutcome } from './node-reducer.js';

// A monitor flaps while its last results change all the time: that is notified once, and no further notification
// follows until it has settled.

/** Results that are looked at. */
export const FLAP_RESULTS = 21;
/** Share of changes at which a monitor begins to flap, and below which it has settled. */
const ENTER = 0.5;
const LEAVE = 0.25;
/** Weights of the oldest and the newest change; the weights between them rise in equal steps. */
const OLDEST_WEIGHT = 0.75;
const NEWEST_WEIGHT = 1.25;

/**
 * Weighted share of changes among the last results, oldest first, 0 to 1: newer changes weigh more. Where there are
 * fewer than 21, those that are missing did not change.
 */
export function changeShare(outcomes: readonly CheckOutcome[]): number {
  const last = outcomes.slice(-FLAP_RESULTS);
  const steps = FLAP_RESULTS - 1;
  const missing = FLAP_RESULTS - last.length;
  const changed = last.reduce((sum, outcome, index) => {
    if (index === 0 || outcome === last[index - 1]) return sum;
    const age = (missing + index - 1) / (steps - 1);
    return sum + OLDEST_WEIGHT + (NEWEST_WEIGHT - OLDEST_WEIGHT) * age;
  }, 0);
  return changed / steps;
}

/** True if a monitor is flapping, given whether it was flapping before. */
export function isFlapping(didFlap: boolean, outcomes: readonly CheckOutcome[]): boolean {
  const share = changeShare(outcomes);
  return didFlap ? share >= LEAVE : share >= ENTER;
}
