import type { AlertState, Hold } from './alert.js';
import type { AlertNews, Decision, DecisionInput } from './decision.js';
import { type Draft, draftOf, extend } from './draft.js';
import { goOn, standStill } from './escalation.js';
import { type ActiveHold, activeHolds, holdNames } from './holds.js';
import { nextLook } from './look-at.js';
import type { AlertPolicy } from './policy.js';
import { askOpenedWindows, followPolicy, joinPlans, nextWindow } from './rules.js';
import { dropDue, tellDue } from './telling.js';
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

// One decision about an alert of a policy and a monitor. The order is the same for all news:
//
//   1 policy    null: nothing opens, and what is open is resolved
//   2 alert     opened, changed, acknowledged, resolved; then what is due by time   transitions.ts
//   3 held      what holds its messages, and until when                             holds.ts
//   4 rules     those whose window has begun; plans by the policy as it is now      rules.ts
//   5 channels  due messages, against what each channel knows                       telling.ts, escalation.ts
//   6 joining   with other messages of the channel, by the caller                   joining.ts
//   7 delivery  asked again before each attempt, by the caller
//
// A resolved message passes 3 to 5. The state alone says what comes next: the same look twice changes nothing, and a late one tells
// each thing once.

/** Decides what news, or the time, mean for an alert. */
export function decide(input: DecisionInput): Decision {
  const { alert, policy } = input;
  if (alert === null || alert.status === 'resolved') return decideWithoutAlert(input);
  const draft = draftOf(alert);
  if (policy === null) return { ...resolveWithoutPolicy(draft, input), lookAtMs: null };
  const changed = applyTime(applyNews(applyAckTimeOut(draft, policy, input), policy, input), policy, input.nowMs);
  return changed.alert.status === 'resolved' ? { ...changed, lookAtMs: null } : decideMessages(changed, policy, input);
}

/** Opens an alert, or leaves things as they are. */
function decideWithoutAlert(input: DecisionInput): Decision {
  const { alert, policy, news, nowMs } = input;
  const nothing: Decision = { alert, tells: [], timeline: [], changes: [], lookAtMs: null };
  if (news.kind !== 'trouble' || policy === null || alert?.resolution === 'person') return nothing;
  const dueAtMs = news.type === 'no_data' ? noDataDueAt(policy, news.startedAtMs) : nowMs;
  if (dueAtMs === null || dueAtMs > nowMs) return { ...nothing, lookAtMs: dueAtMs };
  return decideMessages(openAlert(policy, news, input), policy, input);
}

function resolveWithoutPolicy(draft: Draft, { news, nowMs }: DecisionInput): Draft {
  if (draft.alert.recoveredAtMs !== null) return recover(draft, null, nowMs);
  if (news.kind === 'over') return end(draft, null, news, nowMs);
  const resolution = news.kind === 'resolve' ? 'person' : 'policy_removed';
  return resolve(draft, null, { resolution, resolvedAtMs: nowMs, nowMs });
}

function applyNews(draft: Draft, policy: AlertPolicy, input: DecisionInput): Draft {
  const { news, nowMs } = input;
  switch (news.kind) {
    case 'trouble':
      return isTooEarly(news, policy, nowMs) ? draft : goOnWith(draft, policy, news, input);
    case 'over':
      return end(draft, policy, news, nowMs);
    case 'acknowledge':
      return acknowledge(draft, news, nowMs);
    case 'resolve':
      if (draft.alert.recoveredAtMs !== null) return recover(draft, policy, nowMs);
      return resolve(draft, policy, { resolution: 'person', resolvedAtMs: nowMs, nowMs, by: news.by });
    case 'look':
      return draft;
  }
}

function isTooEarly(
  { type, startedAtMs }: Extract<AlertNews, { kind: 'trouble' }>,
  policy: AlertPolicy,
  nowMs: number,
) {
  if (type !== 'no_data') return false;
  const dueAtMs = noDataDueAt(policy, startedAtMs);
  return dueAtMs === null || dueAtMs > nowMs;
}

/** Before the news: an alert may be acknowledged again after the time-out. */
function applyAckTimeOut(draft: Draft, policy: AlertPolicy, input: DecisionInput): Draft {
  const dueAtMs = ackTimeOutAt(draft.alert, policy);
  return dueAtMs !== null && dueAtMs <= input.nowMs ? timeOutAck(draft, policy, input) : draft;
}

/** After the news: trouble that returns in time calls a recovery off. */
function applyTime(draft: Draft, policy: AlertPolicy, nowMs: number): Draft {
  const { recoveryTellAtMs } = draft.alert;
  return recoveryTellAtMs !== null && recoveryTellAtMs <= nowMs ? recover(draft, policy, nowMs) : draft;
}

/** Steps 3 to 5, for an alert that is not resolved. */
function decideMessages(draft: Draft, policy: AlertPolicy, input: DecisionInput): Decision {
  const { nowMs, tags, news } = input;
  const holds = activeHolds(draft.alert, policy, input);
  const isHeld = holds.some(({ drops }) => !drops);
  const isRunning = draft.alert.status === 'firing' && draft.alert.recoveredAtMs === null;
  const planned = plan(draft, policy, { tags, nowMs, isRunning });
  const paused = pauseSteps(noteHolds(planned, holdNames(holds), nowMs), isRunning && !isHeld, nowMs);
  const wasQuiet = news.kind === 'look' && endsQuietHours(draft.alert, holds);
  const told = isHeld || draft.alert.recoveredAtMs !== null ? paused : tell(paused, policy, { holds, nowMs, wasQuiet });
  return { ...told, lookAtMs: nextLook(told.alert, policy, holds, input) };
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

function tell(
  draft: Draft,
  policy: AlertPolicy,
  {
    holds,
    nowMs,
    wasQuiet,
  }: { readonly holds: readonly ActiveHold[]; readonly nowMs: number; readonly wasQuiet: boolean },
): Draft {
  return holds.length > 0 ? dropDue(draft, policy, nowMs) : tellDue(draft, policy, nowMs, wasQuiet);
}
