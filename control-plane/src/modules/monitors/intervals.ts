import { ApiError } from '../../http/errors.js';
import type { Plan } from '../../plans.js';

/** Seconds between two checks that a monitor may have. API specification 8. */
export const monitorIntervals = [10, 30, 60, 300, 900, 1800] as const;

const STANDARD_SECONDS = 60;

/**
 * The interval of a new or changed monitor: what is asked for, or the type's, or 60 s, and never below the plan's.
 * @throws ApiError MONITOR_INVALID_INTERVAL for one that is not on the list, FEATURE_LOCKED for one below the plan's
 */
export function intervalOf(asked: number | undefined, standard: number | null, plan: Plan): number {
  const least = plan.minIntervalSeconds ?? 0;
  if (asked === undefined) {
    const wanted = Math.max(standard ?? STANDARD_SECONDS, least);
    return monitorIntervals.find((interval) => interval >= wanted) ?? 1800;
  }
  if (!(monitorIntervals as readonly number[]).includes(asked)) {
    const message = `must be one of ${monitorIntervals.join(', ')}`;
    throw new ApiError('MONITOR_INVALID_INTERVAL', { details: { interval_s: [{ code: 'enum', message }] } });
  }
  if (asked < least) {
    const message = `is below the ${least} s of your plan`;
    throw new ApiError('FEATURE_LOCKED', { details: { interval_s: [{ code: 'refused', message }] } });
  }
  return asked;
}
