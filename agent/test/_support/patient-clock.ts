import { type Clock, systemClock } from '@vantage/shared/clock.js';

/**
 * The machine's clock, some of whose waits take `times` as long: limits that a test is not about do not end what a slow
 * machine is still busy with.
 */
export function patientClock({
  isLengthened,
  times,
}: {
  readonly isLengthened: (ms: number) => boolean;
  readonly times: number;
}): Clock {
  return {
    ...systemClock,
    after: (ms, callback, options) => systemClock.after(isLengthened(ms) ? ms * times : ms, callback, options),
  };
}
