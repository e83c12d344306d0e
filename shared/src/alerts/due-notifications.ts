import { type AlertState, isWorse, type NotifiedChannel, type PlannedNotification } from './alert.js';
import { joinTwo, lackingRecipients } from './choices.js';
import type { Notification, TimelineEntry } from './decision.js';
import { type Draft, extend } from './draft.js';
import { takeSteps } from './escalation.js';
import type { AlertPolicy, ChannelChoice } from './policy.js';

// Messages of an alert that nothing holds: the difference between what it is and what its channels know. A channel gets at most
// one message at a time, by the first reason that applies.
//
//   acknowledged:  acknowledged   the channel knows it as firing
//   firing:        firing         planned by a rule, and the channel knows nothing
//                  severity       it is worse than the channel knows
//                  reminder       it fires again after an acknowledgement; or a repeat is due; or more recipients are planned
//                  escalation     a step is due

/** Reason to write to a channel. */
interface Reason {
  readonly kind: Notification['kind'];
  readonly choice: ChannelChoice;
  /** Rule whose repeat applies from now on, or null. */
  readonly rule: number | null;
  /** True if a repeat is used up. */
  readonly isRepeat: boolean;
}

/** Instant at which a channel that was notified is due to be reminded by a rule; null if never. */
export function reminderAt({ rule, choice, lastAtMs, reminders }: NotifiedChannel, policy: AlertPolicy): number | null {
  const { repeat, channels } = policy.rules[rule ?? -1] ?? {};
  const isNamed = channels?.some(({ channel_id: id }) => id === choice.channel_id) ?? false;
  if (!repeat?.enabled || !isNamed || reminders >= repeat.max_count) return null;
  return lastAtMs + repeat.interval_sec * 1000;
}

/** Messages that are due now, with what the channels know afterwards. */
export function notifyDue(draft: Draft, policy: AlertPolicy, nowMs: number, wasQuiet: boolean): Draft {
  const taken = takeDue(draft.alert, policy, nowMs);
  const reasons = onePerChannel(taken.reasons);
  const { severity } = draft.alert;
  return extend(draft, {
    alert: know(taken.alert, reasons, nowMs),
    notifications: reasons.map(({ kind, choice }) => ({ kind, choice, severity, wasQuiet })),
    timeline: entriesOf(reasons, taken.steps, nowMs),
  });
}

/** Drops the messages that are due now: those who know nothing go on knowing nothing, others count as notified. */
export function dropDue(draft: Draft, policy: AlertPolicy, nowMs: number): Draft {
  const taken = takeDue(draft.alert, policy, nowMs);
  const reasons = onePerChannel(taken.reasons);
  const ofKnown = reasons.flatMap((reason) => {
    const known = findChannel(taken.alert.told, reason.choice);
    return known === undefined ? [] : [{ ...reason, choice: known.choice }];
  });
  const details = { by: 'quiet_hours', channels: reasons.map(({ choice }) => choice.channel_id) };
  return extend(draft, {
    alert: know(taken.alert, ofKnown, nowMs),
    timeline: reasons.length === 0 ? [] : [{ atMs: nowMs, what: 'dropped', details }],
  });
}

interface Taken {
  readonly alert: AlertState;
  readonly reasons: readonly Reason[];
  readonly steps: readonly { readonly step: number; readonly round: number }[];
}

/** Reasons to write at an instant, and the alert without the plans and steps among them. */
function takeDue(alert: AlertState, policy: AlertPolicy, nowMs: number): Taken {
  if (alert.status === 'acknowledged') return { alert, reasons: alert.told.flatMap(acknowledgedReason), steps: [] };
  const due = alert.planned.filter(({ atMs }) => atMs <= nowMs);
  const planned = alert.planned.filter(({ atMs }) => atMs > nowMs);
  const notified = alert.told.map((one) => ({ ...one, rule: one.rule ?? findChannel(due, one.choice)?.rule ?? null }));
  const steps = takeSteps(alert.escalation, policy.escalation, nowMs);
  const reasons = [
    ...notified.flatMap((one) => notifiedReason(one, alert, policy, nowMs)),
    ...due.flatMap((plan) => plannedReason(plan, notified)),
    ...steps.due.flatMap(({ choices }) => choices.map((choice) => escalationReason(choice))),
  ];
  return { alert: { ...alert, planned, told: notified, escalation: steps.state }, reasons, steps: steps.due };
}

function findChannel<T extends { readonly choice: ChannelChoice }>(
  all: readonly T[],
  { channel_id: id }: ChannelChoice,
) {
  return all.find(({ choice }) => choice.channel_id === id);
}

function plannedReason({ choice, rule }: PlannedNotification, notified: readonly NotifiedChannel[]): Reason[] {
  const known = findChannel(notified, choice);
  if (known === undefined) return [{ kind: 'firing', choice, rule, isRepeat: false }];
  const lacking = lackingRecipients(choice, known.choice);
  return lacking === null ? [] : [{ kind: 'reminder', choice: lacking, rule, isRepeat: false }];
}

function notifiedReason(notified: NotifiedChannel, alert: AlertState, policy: AlertPolicy, nowMs: number): Reason[] {
  const reason = { choice: notified.choice, rule: notified.rule };
  if (isWorse(alert, notified)) return [{ ...reason, kind: 'severity', isRepeat: false }];
  if (notified.isAcknowledged) return [{ ...reason, kind: 'reminder', isRepeat: false }];
  const remindAtMs = reminderAt(notified, policy);
  return remindAtMs !== null && remindAtMs <= nowMs ? [{ ...reason, kind: 'reminder', isRepeat: true }] : [];
}

function acknowledgedReason({ choice, rule, isAcknowledged }: NotifiedChannel): Reason[] {
  return isAcknowledged ? [] : [{ kind: 'acknowledged', choice, rule, isRepeat: false }];
}

function escalationReason(choice: ChannelChoice): Reason {
  return { kind: 'escalation', choice, rule: null, isRepeat: false };
}

/** One reason for each channel: the first, with the recipients of all. */
function onePerChannel(reasons: readonly Reason[]): Reason[] {
  const first = new Map<string, Reason>();
  for (const reason of reasons) {
    const { channel_id: id } = reason.choice;
    const known = first.get(id);
    first.set(id, known === undefined ? reason : { ...known, choice: joinTwo(known.choice, reason.choice) });
  }
  return [...first.values()];
}

/** The alert with what its channels know after these messages. */
function know(alert: AlertState, reasons: readonly Reason[], nowMs: number): AlertState {
  const byChannel = new Map(alert.told.map((notified) => [notified.choice.channel_id, notified]));
  for (const reason of reasons) {
    const { channel_id: id } = reason.choice;
    byChannel.set(id, knowing(byChannel.get(id), reason, alert, nowMs));
  }
  return { ...alert, told: [...byChannel.values()] };
}

function knowing(
  notified: NotifiedChannel | undefined,
  reason: Reason,
  alert: AlertState,
  nowMs: number,
): NotifiedChannel {
  const { kind, choice, rule, isRepeat } = reason;
  const { type, severity, status } = alert;
  const isAcknowledged = status === 'acknowledged';
  if (notified === undefined)
    return { choice, firstAtMs: nowMs, lastAtMs: nowMs, reminders: 0, type, severity, isAcknowledged, rule };
  // repeats go on from the last message that came by a rule
  const restarts = kind !== 'escalation' && kind !== 'acknowledged';
  return {
    ...notified,
    choice: joinTwo(notified.choice, choice),
    lastAtMs: restarts ? nowMs : notified.lastAtMs,
    reminders: notified.reminders + (isRepeat ? 1 : 0),
    type,
    severity,
    isAcknowledged,
    rule: notified.rule ?? rule,
  };
}

function entriesOf(reasons: readonly Reason[], steps: Taken['steps'], nowMs: number): TimelineEntry[] {
  const kinds = [...new Set(reasons.map(({ kind }) => kind))].filter((kind) => kind !== 'escalation');
  const entries = kinds.map((kind): TimelineEntry => {
    const channels = reasons.filter((reason) => reason.kind === kind).map(({ choice }) => choice.channel_id);
    return { atMs: nowMs, what: kind === 'reminder' ? 'reminded' : 'notified', details: { kind, channels } };
  });
  const channels = reasons.filter(({ kind }) => kind === 'escalation').map(({ choice }) => choice.channel_id);
  const escalated = steps.map(
    ({ step, round }): TimelineEntry => ({ atMs: nowMs, what: 'escalated', details: { step, round, channels } }),
  );
  return [...entries, ...escalated];
}
