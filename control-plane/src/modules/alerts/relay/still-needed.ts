import type { AlertStatus } from '@vantage/shared/alerts/alert.js';
import type { EndReason, WaitingMessage } from '../deliveries/needed.js';

/** Facts that decide whether a message is still needed. */
export interface NeedFacts {
  readonly kind: WaitingMessage['kind'];
  readonly mayHaveArrived: boolean;
  /** Alerts that the message is about, those that still exist. */
  readonly alerts: readonly { readonly status: AlertStatus; readonly isSilenced: boolean }[];
  /** True if its recipient got an earlier message about its alerts, or may have got it. */
  readonly wasNotified: boolean;
}

/**
 * Reason why a message about alerts is no longer needed; null if it is. A recipient of a message about an alert gets the one about its end;
 * one who got none, since the alert ended before, gets neither.
 */
export function endReasonOf({ kind, mayHaveArrived, alerts, wasNotified }: NeedFacts): EndReason | null {
  switch (kind) {
    case 'firing':
    case 'severity':
    case 'reminder':
    case 'escalation':
    case 'digest':
      return wasNotified && kind === 'digest' ? null : reasonOfBeginning(alerts, mayHaveArrived);
    case 'acknowledged':
      return wasNotified && alerts.some(({ status }) => status === 'acknowledged') ? null : 'not_needed';
    case 'resolved':
      return wasNotified || mayHaveArrived ? null : 'not_needed';
    case 'notice':
    case 'test':
    case 'verification':
      return null;
  }
}

function reasonOfBeginning(alerts: NeedFacts['alerts'], mayHaveArrived: boolean): EndReason | null {
  if (alerts.some(({ status, isSilenced }) => status === 'firing' && !isSilenced)) return null;
  if (alerts.some(({ status, isSilenced }) => status === 'firing' && isSilenced)) return 'silenced';
  if (alerts.some(({ status }) => status === 'acknowledged')) return 'acknowledged';
  // it counts as received: the message about the end follows
  return mayHaveArrived ? 'not_needed' : 'recovered_before_sent';
}
