import type { AlertState } from './alert.js';
import type { Decision, Tell, TimelineEntry } from './decision.js';

/** Decision in the making about an alert. */
export interface Draft extends Omit<Decision, 'alert' | 'lookAtMs'> {
  readonly alert: AlertState;
}

/** Parts that are added to a draft. */
interface Addition {
  readonly alert?: Partial<AlertState>;
  readonly tells?: readonly Tell[];
  readonly timeline?: readonly TimelineEntry[];
  readonly changes?: Decision['changes'];
}

/** Draft of a decision that changes nothing. */
export function draftOf(alert: AlertState): Draft {
  return { alert, tells: [], timeline: [], changes: [] };
}

/** A draft with a change of its alert, and more messages, entries and changes behind those it has. */
export function extend(draft: Draft, { alert, tells = [], timeline = [], changes = [] }: Addition): Draft {
  return {
    alert: { ...draft.alert, ...alert },
    tells: [...draft.tells, ...tells],
    timeline: [...draft.timeline, ...timeline],
    changes: [...draft.changes, ...changes],
  };
}
