import { type Clock, systemClock } from '@vantage/shared/clock.js';

/** The system's clock for a busy machine, on which callers do not give up: long waits take ten times as long. */
export const patientClock: Clock = {
  ...systemClock,
  after: (ms, ...rest) => systemClock.after(ms >= 10_000 ? 10 * ms : ms, ...rest),
};
