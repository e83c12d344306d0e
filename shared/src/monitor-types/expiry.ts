import { type Static, Type } from 'typebox';
import { type Failure, failureOf } from '../assertions/failures.js';
import type { FieldErrors } from '../validation.js';

const days = (fallback: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 365, default: fallback, description });

/** Settings of every type that waits for something to expire. */
export const expiryFields = {
  warn_days: days(14, 'With so many days left, or fewer, the monitor is degraded.'),
  critical_days: days(3, 'With so many days left, or fewer, a check fails.'),
};
const ExpiryFields = Type.Object(expiryFields);
type ExpiryConfig = Static<typeof ExpiryFields>;

/** What is wrong with both together; empty: nothing. */
export function checkExpiryConfig({ warn_days: warn, critical_days: critical }: ExpiryConfig): FieldErrors {
  if (critical <= warn) return {};
  return { critical_days: [{ code: 'range', message: 'must not be more than warn_days' }] };
}

/** Whether `left` whole days are too few; `what` is what ends then. */
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
