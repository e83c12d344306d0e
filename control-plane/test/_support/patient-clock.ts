import { type Clock, systemClock } from '@vantage/shared/clock.js';
import { ANSWER_WITHIN_MS } from '../../src/limits/shared-windows.js';

const STORE_OF_LIMITS_MS = 30_000;

/**
 * The system's clock for a busy machine, on which callers do not give up: long waits take ten times as long, and limits
 * are counted by all replicas together, however long their store takes.
 */
export const patientClock: Clock = {
  ...systemClock,
  after: (ms, ...rest) => systemClock.after(patientMs(ms), ...rest),
};

function patientMs(ms: number): number {
  if (ms === ANSWER_WITHIN_MS) return STORE_OF_LIMITS_MS;
  return ms >= 10_000 ? 10 * ms : ms;
}
