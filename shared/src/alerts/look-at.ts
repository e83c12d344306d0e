import type { AlertState } from './alert.js';
import type { DecisionInput } from './decision.js';
import { reminderAt } from './due-notifications.js';
import { nextStepAt } from './escalation.js';
import { type ActiveHold, nextQuietBegin } from './holds.js';
import type { AlertPolicy } from './policy.js';
import { earliest } from './rules.js';
import { ackTimeOutAt } from './transitions.js';

/** Next instant at which an open alert has something due without a trigger; null if there is none. */
export function nextLook(
  alert: AlertState,
  policy: AlertPolicy,
  holds: readonly ActiveHold[],
  { nowMs, nextHoldAtMs }: Pick<DecisionInput, 'nowMs' | 'nextHoldAtMs'>,
): number | null {
  if (alert.recoveryTellAtMs !== null) return earliest([alert.recoveryTellAtMs, nextHoldAtMs]);
  const ends = holds.map(({ untilMs }) => untilMs);
  if (alert.status === 'acknowledged') return earliest([ackTimeOutAt(alert, policy), ...ends]);
  if (holds.some(({ drops }) => !drops)) return earliest([alert.windowAtMs, ...ends]);
  const stepAtMs = nextStepAt(alert.escalation, policy.escalation);
  return earliest([
    alert.windowAtMs,
    ...ends,
    ...alert.planned.map(({ atMs }) => atMs),
    ...alert.told.map((notified) => reminderAt(notified, policy)),
    stepAtMs,
    // the caller drops messages on their way while a silence holds, and steps stand still
    nextHoldAtMs,
    // steps stand still from the moment on which quiet hours begin
    stepAtMs === null ? null : nextQuietBegin(policy, alert.severity, nowMs),
  ]);
}
