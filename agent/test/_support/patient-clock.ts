import { type Clock, systemClock } from '@vantage/shared/clock.js';

/**
 * The machine's clock, whose waits of `fromMs` or more take `times` as long: limits that a test is not about do not end what
 * a slow machine is still busy with.
 */
export function patientClock({ fromMs, times }: { readonly fromMs: number; readonly times: number }): Clock {
  return {
    ...systemClock,
    after: (ms, callback, options) => systemClock.after(ms < fromMs ? ms : ms * times, callback, options),
  };
}
