import type { AlertState, Hold } from './alert.js';
import type { AlertTrigger, Decision, DecisionInput } from './decision.js';
import { type Draft, draftOf, extend } from './draft.js';
import { dropDue, notifyDue } from './due-notifications.js';
import { goOn, standStill } from './escalation.js';
import { type ActiveHold, activeHolds, holdNames } from './holds.js';
import { nextLook } from './look-at.js';
import type { AlertPolicy } from './policy.js';
import { askOpenedWindows, followPolicy, joinPlans, nextWindow } from './rules.js';
import {
  acknowledge,
  ackTimeOutAt,
  end,
  goOnWith,
  noDataDueAt,
  openAlert,
  recover,
  resolve,
  timeOutAck,
} from './transitions.js';

// One decision about an alert of a policy and a monitor. The order is the same for all triggers:
//
//   1 policy    null: nothing opens, and what is open is resolved
//   2 alert     opened, changed, acknowledged, resolved; then what is due by time   transitions.ts
//   3 held      what holds its messages, and until when                             holds.ts
//   4 rules     those whose window has begun; plans by the policy as it is now      rules.ts
//   5 channels  due messages, against what each channel knows                       due-notifications.ts, escalation.ts
//   6 joining   with other messages of the channel, by the caller                   joining.ts
//   7 delivery  asked again before each attempt, by the caller
//
// A resolved message passes 3 to 5. The state alone says what comes next: the same look twice changes nothing, and a late one sends
// each message once.

/** Decides what a trigger, or the time, means for an alert. */
export function decide(input: DecisionInput): Decision {
  const { alert, policy } = input;
  if (alert === null || alert.status === 'resolved') return decideWithoutAlert(input);
  const draft = draftOf(alert);
  if (policy === null) return { ...resolveWithoutPolicy(draft, input), lookAtMs: null };
  const changed = applyTime(applyTrigger(applyAckTimeOut(draft, policy, input), policy, input), policy, input.nowMs);
  return changed.alert.status === 'resolved' ? { ...changed, lookAtMs: null } : decideMessages(changed, policy, input);
}

/** Opens an alert, or leaves things as they are. */
function decideWithoutAlert(input: DecisionInput): Decision {
  const { alert, policy, trigger, nowMs } = input;
  const nothing: Decision = { alert, notifications: [], timeline: [], changes: [], lookAtMs: null };
  if (trigger.kind !== 'trouble' || policy === null || alert?.resolution === 'person') return nothing;
  const dueAtMs = trigger.type === 'no_data' ? noDataDueAt(policy, trigger.startedAtMs) : nowMs;
  if (dueAtMs === null || dueAtMs > nowMs) return { ...nothing, lookAtMs: dueAtMs };
  return decideMessages(openAlert(policy, trigger, input), policy, input);
}

function resolveWithoutPolicy(draft: Draft, { trigger, nowMs }: DecisionInput): Draft {
  if (draft.alert.recoveredAtMs !== null) return recover(draft, null, nowMs);
  if (trigger.kind === 'over') return end(draft, null, trigger, nowMs);
  const resolution = trigger.kind === 'resolve' ? 'person' : 'policy_removed';
  return resolve(draft, null, { resolution, resolvedAtMs: nowMs, nowMs });
}

function applyTrigger(draft: Draft, policy: AlertPolicy, input: DecisionInput): Draft {
  const { trigger, nowMs } = input;
  switch (trigger.kind) {
    case 'trouble':
      return isTooEarly(trigger, policy, nowMs) ? draft : goOnWith(draft, policy, trigger, input);
    case 'over':
      return end(draft, policy, trigger, nowMs);
    case 'acknowledge':
      return acknowledge(draft, trigger, nowMs);
    case 'resolve':
      if (draft.alert.recoveredAtMs !== null) return recover(draft, policy, nowMs);
      return resolve(draft, policy, { resolution: 'person', resolvedAtMs: nowMs, nowMs, by: trigger.by });
    case 'look':
      return draft;
  }
}

function isTooEarly(
  { type, startedAtMs }: Extract<AlertTrigger, { kind: 'trouble' }>,
  policy: AlertPolicy,
  nowMs: number,
) {
  if (type !== 'no_data') return false;
  const dueAtMs = noDataDueAt(policy, startedAtMs);
  return dueAtMs === null || dueAtMs > nowMs;
}

/** Before the trigger: an alert may be acknowledged again after the time-out. */
function applyAckTimeOut(draft: Draft, policy: AlertPolicy, input: DecisionInput): Draft {
  const dueAtMs = ackTimeOutAt(draft.alert, policy);
  return dueAtMs !== null && dueAtMs <= input.nowMs ? timeOutAck(draft, policy, input) : draft;
}

/** After the trigger: trouble that returns in time calls a recovery off. */
function applyTime(draft: Draft, policy: AlertPolicy, nowMs: number): Draft {
  const { recoveryTellAtMs } = draft.alert;
  return recoveryTellAtMs !== null && recoveryTellAtMs <= nowMs ? recover(draft, policy, nowMs) : draft;
}

/** Steps 3 to 5, for an alert that is not resolved. */
function decideMessages(draft: Draft, policy: AlertPolicy, input: DecisionInput): Decision {
  const { nowMs, tags, trigger } = input;
  const holds = activeHolds(draft.alert, policy, input);
  const isHeld = holds.some(({ drops }) => !drops);
  const isRunning = draft.alert.status === 'firing' && draft.alert.recoveredAtMs === null;
  const planned = plan(draft, policy, { tags, nowMs, isRunning });
  const paused = pauseSteps(noteHolds(planned, holdNames(holds), nowMs), isRunning && !isHeld, nowMs);
  const wasQuiet = trigger.kind === 'look' && endsQuietHours(draft.alert, holds);
  const notified =
    isHeld || draft.alert.recoveredAtMs !== null ? paused : notify(paused, policy, { holds, nowMs, wasQuiet });
  return { ...notified, lookAtMs: nextLook(notified.alert, policy, holds, input) };
}

/** Plans of an alert by the policy as it is now, and by windows that have begun. */
function plan(
  draft: Draft,
  policy: AlertPolicy,
  { tags, nowMs, isRunning }: { readonly tags: readonly string[]; readonly nowMs: number; readonly isRunning: boolean },
): Draft {
  const { alert } = draft;
  const facts = { severity: alert.severity, tags };
  const planned = followPolicy(policy, facts, alert.planned, { openedAtMs: alert.openedAtMs, nowMs });
  if (!isRunning) return extend(draft, { alert: { planned, windowAtMs: null } });
  const opened = askOpenedWindows(policy, facts, alert, nowMs);
  const windowAtMs = nextWindow(policy, facts, nowMs);
  return extend(draft, { alert: { planned: joinPlans([...planned, ...opened]), windowAtMs } });
}

function noteHolds(draft: Draft, heldBy: readonly Hold[], nowMs: number): Draft {
  const before = draft.alert.heldBy;
  const begun = heldBy.filter((hold) => !before.includes(hold));
  const ended = before.filter((hold) => !heldBy.includes(hold));
  const entries = [
    ...(begun.length === 0 ? [] : [{ atMs: nowMs, what: 'held', details: { by: begun } } as const]),
    ...(ended.length === 0 ? [] : [{ atMs: nowMs, what: 'released', details: { from: ended } } as const]),
  ];
  return entries.length === 0 ? draft : extend(draft, { alert: { heldBy }, timeline: entries });
}

function pauseSteps(draft: Draft, areRunning: boolean, nowMs: number): Draft {
  const { escalation } = draft.alert;
  return extend(draft, { alert: { escalation: areRunning ? goOn(escalation, nowMs) : standStill(escalation, nowMs) } });
}

function endsQuietHours({ heldBy }: AlertState, holds: readonly ActiveHold[]): boolean {
  return heldBy.includes('quiet_hours') && !holds.some(({ hold }) => hold === 'quiet_hours');
}

function notify(
  draft: Draft,
  policy: AlertPolicy,
  {
    holds,
    nowMs,
    wasQuiet,
  }: { readonly holds: readonly ActiveHold[]; readonly nowMs: number; readonly wasQuiet: boolean },
): Draft {
  return holds.length > 0 ? dropDue(draft, policy, nowMs) : notifyDue(draft, policy, nowMs, wasQuiet);
}
