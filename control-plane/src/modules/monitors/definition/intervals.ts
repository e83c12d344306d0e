import { ApiError } from '../../../http/errors.js';
import type { Plan } from '../../../plans/index.js';

/** Permitted intervals between two checks, in seconds. API specification 8. */
export const monitorIntervals = [10, 30, 60, 300, 900, 1800] as const;

const STANDARD_SECONDS = 60;

/**
 * Interval of a new or changed monitor: the requested one, else that of the type or 60 s, and never shorter than the plan allows.
 * @throws ApiError MONITOR_INVALID_INTERVAL if it is not permitted, FEATURE_LOCKED if the plan does not allow it
 */
export function intervalOf(asked: number | undefined, standard: number | null, plan: Plan): number {
  const least = plan.min_interval_s ?? 0;
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
