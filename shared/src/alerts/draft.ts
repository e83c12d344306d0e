import type { AlertState } from './alert.js';
import type { Decision, Notification, TimelineEntry } from './decision.js';

/** Decision in the making about an alert. */
export interface Draft extends Omit<Decision, 'alert' | 'lookAtMs'> {
  readonly alert: AlertState;
}

/** Parts that are added to a draft. */
interface Addition {
  readonly alert?: Partial<AlertState>;
  readonly notifications?: readonly Notification[];
  readonly timeline?: readonly TimelineEntry[];
  readonly changes?: Decision['changes'];
}

/** Draft of a decision that changes nothing. */
export function draftOf(alert: AlertState): Draft {
  return { alert, notifications: [], timeline: [], changes: [] };
}

/** A draft with a change of its alert, and more messages, entries and changes behind those it has. */
export function extend(draft: Draft, { alert, notifications = [], timeline = [], changes = [] }: Addition): Draft {
  return {
    alert: { ...draft.alert, ...alert },
    notifications: [...draft.notifications, ...notifications],
    timeline: [...draft.timeline, ...timeline],
    changes: [...draft.changes, ...changes],
  };
}
