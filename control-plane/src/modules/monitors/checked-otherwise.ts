import type { MonitorFields } from './store.js';

/** Whether nodes have to be told: what they measured until now was of something else. */
export function isCheckedOtherwise(before: MonitorFields, after: MonitorFields): boolean {
  const told = ({ target, interval_s, config, consecutive_fail, consecutive_ok }: MonitorFields) =>
    JSON.stringify([target, interval_s, sorted(config), consecutive_fail, consecutive_ok]);
  return told(before) !== told(after);
}

/** PostgreSQL keeps the members of jsonb in an order of its own. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, sorted(v)]),
  );
}
