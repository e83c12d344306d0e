import { type Clock, systemClock } from '@vantage/shared/clock.js';
import { ANSWER_WITHIN_MS } from '../../src/limits/shared-windows.js';

const STORE_OF_LIMITS_MS = 30_000;

/**
 * The system's clock for a busy machine: replicas count their limits together, however long the store of limits takes,
 * where in service each counts alone for a while after 250 ms.
 */
export const sharedLimitsClock: Clock = {
  ...systemClock,
  after: (ms, ...rest) => systemClock.after(ms === ANSWER_WITHIN_MS ? STORE_OF_LIMITS_MS : ms, ...rest),
};

/**
 * The system's clock for a busy machine, on which callers do not give up: long waits take ten times as long, and limits
 * are counted by all replicas together.
 */
export const patientClock: Clock = {
  ...systemClock,
  after: (ms, ...rest) => sharedLimitsClock.after(ms >= 10_000 ? 10 * ms : ms, ...rest),
};
