import { withoutReach } from './secret-reach.js';
import type { MonitorFields } from './store.js';

/** True if a change affects the checks, so that nodes must be notified and earlier results no longer count. */
export function isCheckedOtherwise(before: MonitorFields, after: MonitorFields): boolean {
  const checkedFields = ({ target, interval_s, config, consecutive_fail, consecutive_ok }: MonitorFields) =>
    JSON.stringify([target, interval_s, sorted(withoutReach(config)), consecutive_fail, consecutive_ok]);
  return checkedFields(before) !== checkedFields(after);
}

/** JSON with sorted members, since PostgreSQL does not keep the order of members in jsonb. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, sorted(v)]),
  );
}
