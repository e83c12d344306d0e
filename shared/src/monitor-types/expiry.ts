import { type Static, Type } from 'typebox';
import { type Failure, failureOf } from '../assertions/failures.js';
import type { FieldErrors } from '../validation.js';

const days = (fallback: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 365, default: fallback, description });

/** Settings of every type that waits for something to expire. */
export const expiryFields = {
  warn_days: days(14, 'The monitor is degraded if this number of days, or fewer, are left.'),
  critical_days: days(3, 'A check fails if this number of days, or fewer, are left.'),
};
const ExpiryFields = Type.Object(expiryFields);
type ExpiryConfig = Static<typeof ExpiryFields>;

/** Errors in the combination of both thresholds; empty when there are none. */
export function checkExpiryConfig({ warn_days: warn, critical_days: critical }: ExpiryConfig): FieldErrors {
  if (critical <= warn) return {};
  return { critical_days: [{ code: 'range', message: 'must not be more than warn_days' }] };
}

/** Returns the failure for too few whole days `left`, if any; `what` names the thing that expires. */
export function expiryFailures(
  what: string,
  left: number,
  { warn_days: warn, critical_days: critical }: ExpiryConfig,
): Failure[] {
  if (left > warn) return [];
  const isCritical = left <= critical;
  const subject = `the number of days until ${what} ends`;
  const expected = `more than ${isCritical ? critical : warn}`;
  return [failureOf({ subject, severity: isCritical ? 'down' : 'degraded', expected }, { found: left }, [])];
}
