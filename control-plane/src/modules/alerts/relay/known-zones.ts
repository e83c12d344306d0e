import type { AlertPolicy } from '@vantage/shared/alerts/policy.js';
import { zoneClock } from '@vantage/shared/zone-clock.js';
import type { Slices } from '../../../runtime/slices.js';

const DAY_MS = 86_400_000;
/** Time around an instant in which the windows of a decision lie, with the days that a zone may skip. */
const BEFORE_MS = 6 * DAY_MS;
const AFTER_MS = 25 * DAY_MS;
/** Steps of a search in the time zone database, as `Slices` counts them: three milliseconds. */
const STEPS_PER_SEARCH = 3_000;

/**
 * Looks up the time zones that the windows of policies name. A decision about a policy that names more than twenty unknown ones would keep
 * the event loop busy.
 */
export async function readZones(policies: Iterable<AlertPolicy>, nowMs: number, slices: Slices): Promise<void> {
  for (const timezone of new Set([...policies].flatMap(zonesOf))) {
    const clock = zoneClock(timezone);
    const before = clock.searches;
    clock.wallOf(nowMs - BEFORE_MS);
    clock.wallOf(nowMs + AFTER_MS);
    await slices.spend(STEPS_PER_SEARCH * (clock.searches - before));
  }
}

function zonesOf({ rules, suppression }: AlertPolicy): string[] {
  const windows = [...rules.map(({ match }) => match.time_window), ...suppression.quiet_hours];
  return windows.flatMap((window) => window?.timezone ?? []);
}
