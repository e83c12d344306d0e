import { type AlertState, isWorse, type NotifiedChannel, type Resolution, type Trouble } from './alert.js';
import { joinChoices } from './choices.js';
import type { AlertTrigger, DecisionInput } from './decision.js';
import { type Draft, draftOf, extend } from './draft.js';
import { beginEscalation } from './escalation.js';
import type { AlertPolicy } from './policy.js';
import { askRules, joinPlans } from './rules.js';

// Changes of an alert by triggers and by time.
//
//   opened ──> firing ──acknowledge──> acknowledged ──┐
//                │  ^────raised, time-out─────┘       │
//                ├──────────────> resolved <──────────┘
//                └─ recovered, end not yet sent ─┘     trouble within `on_recovery.delay_sec`: it goes on

type TriggerOf<K extends AlertTrigger['kind']> = Extract<AlertTrigger, { kind: K }>;
type Facts = Pick<DecisionInput, 'tags' | 'nowMs'>;

/** Instant from which a time without data opens an alert; null if it never does. */
export function noDataDueAt({ suppression }: AlertPolicy, startedAtMs: number): number | null {
  const { no_data_after_sec: afterSeconds } = suppression;
  return afterSeconds === 0 ? null : startedAtMs + afterSeconds * 1000;
}

/** Opens an alert, and asks the rules. */
export function openAlert(policy: AlertPolicy, trigger: TriggerOf<'trouble'>, { tags, nowMs }: Facts): Draft {
  const { type, severity, startedAtMs, monitorEventId } = trigger;
  const opened: AlertState = {
    status: 'firing',
    type,
    severity,
    startedAtMs,
    openedAtMs: nowMs,
    monitorEventId,
    ...unacknowledged,
    resolvedAtMs: null,
    resolution: null,
    heldBy: [],
    planned: askRules(policy, { severity, tags }, nowMs),
    told: [],
    escalation: beginEscalation(nowMs),
    ...notRecovered,
    windowAtMs: null,
  };
  const entry = { atMs: nowMs, what: 'opened', details: { type, severity } } as const;
  return extend(draftOf(opened), { timeline: [entry], changes: ['firing'] });
}

/** Applies trouble to an alert that is open: it goes on, changes, or is worse now. */
export function goOnWith(draft: Draft, policy: AlertPolicy, trigger: TriggerOf<'trouble'>, facts: Facts): Draft {
  const { alert } = draft;
  const hadRecovered = alert.recoveredAtMs !== null;
  // while checks say nothing, what they said before holds
  if (trigger.type === 'no_data' && alert.type !== 'no_data' && !hadRecovered) return draft;
  const kept = { ...draft, alert: { ...alert, monitorEventId: trigger.monitorEventId ?? alert.monitorEventId } };
  const lasting = hadRecovered ? fireAgain(kept, policy, facts) : kept;
  if (isWorse(trigger, alert)) return raise(lasting, policy, trigger, facts);
  const { type, severity } = trigger;
  if (type === alert.type && severity === alert.severity) return lasting;
  const details = { from: severityOf(alert), to: severityOf(trigger) };
  return extend(lasting, { alert: { type, severity }, timeline: [{ atMs: facts.nowMs, what: 'changed', details }] });
}

/** Acknowledges an alert; one that is acknowledged does not change. */
export function acknowledge(draft: Draft, { by, via }: TriggerOf<'acknowledge'>, nowMs: number): Draft {
  if (draft.alert.status !== 'firing') return draft;
  return extend(draft, {
    alert: { status: 'acknowledged', acknowledgedAtMs: nowMs, acknowledgedBy: by, acknowledgedVia: via },
    timeline: [{ atMs: nowMs, what: 'acknowledged', details: { by, via } }],
    changes: ['acknowledged'],
  });
}

/** Instant at which an acknowledged alert fires again; null if it does not, or is not acknowledged. */
export function ackTimeOutAt({ acknowledgedAtMs }: AlertState, { escalation }: AlertPolicy): number | null {
  const { ack_timeout_sec: seconds } = escalation;
  return acknowledgedAtMs === null || seconds === 0 ? null : acknowledgedAtMs + seconds * 1000;
}

/** Lets an acknowledged alert fire again, and asks the rules for what it has missed. */
export function timeOutAck(draft: Draft, policy: AlertPolicy, { tags, nowMs }: Facts): Draft {
  const details = { acknowledged_by: draft.alert.acknowledgedBy };
  return extend(draft, {
    alert: { status: 'firing', ...unacknowledged, planned: askAgain(draft.alert, policy, { tags, nowMs }) },
    timeline: [{ atMs: nowMs, what: 'ack_timed_out', details }],
    changes: ['firing'],
  });
}

/** Ends an alert whose trouble is over; a recovery that channels are to be notified of waits for `on_recovery.delay_sec`. */
export function end(draft: Draft, policy: AlertPolicy | null, trigger: TriggerOf<'over'>, nowMs: number): Draft {
  const { alert } = draft;
  if (alert.recoveredAtMs !== null) return trigger.resolution === 'recovered' ? draft : recover(draft, policy, nowMs);
  const notifyAtMs = trigger.atMs + (policy?.on_recovery.delay_sec ?? 0) * 1000;
  if (trigger.resolution !== 'recovered' || alert.told.length === 0 || notifyAtMs <= nowMs)
    return resolve(draft, policy, { resolution: trigger.resolution, resolvedAtMs: trigger.atMs, nowMs });
  return extend(draft, {
    alert: { recoveredAtMs: trigger.atMs, recoveryTellAtMs: notifyAtMs },
    timeline: [{ atMs: nowMs, what: 'changed', details: { recovered: true } }],
  });
}

/** Resolves an alert by a recovery that has waited. */
export function recover(draft: Draft, policy: AlertPolicy | null, nowMs: number): Draft {
  const resolvedAtMs = draft.alert.recoveredAtMs ?? nowMs;
  return resolve(draft, policy, { resolution: 'recovered', resolvedAtMs, nowMs });
}

/** Resolves an alert, and notifies the channels that know of it, whatever holds. */
export function resolve(
  draft: Draft,
  policy: AlertPolicy | null,
  {
    resolution,
    resolvedAtMs,
    nowMs,
    by,
  }: {
    readonly resolution: Resolution;
    readonly resolvedAtMs: number;
    readonly nowMs: number;
    /** Person who resolves it. */
    readonly by?: string;
  },
): Draft {
  const { told: notified, severity } = draft.alert;
  // a policy that is gone cannot turn off notifications of ends
  const isNotified = notified.length > 0 && (policy?.on_recovery.notify ?? true);
  const choices = joinChoices([...notified.map(({ choice }) => choice), ...(policy?.on_recovery.channels ?? [])]);
  const details = { resolution, ...(by === undefined ? {} : { by }), channels: isNotified ? choices.map(idOf) : [] };
  return extend(draft, {
    alert: { status: 'resolved', resolution, resolvedAtMs, heldBy: [], planned: [], ...notRecovered },
    notifications: isNotified ? choices.map((choice) => ({ kind: 'resolved', choice, severity, wasQuiet: false })) : [],
    timeline: [{ atMs: nowMs, what: 'resolved', details }],
    changes: ['resolved'],
  });
}

const unacknowledged = { acknowledgedAtMs: null, acknowledgedBy: null, acknowledgedVia: null } as const;
const notRecovered = { recoveredAtMs: null, recoveryTellAtMs: null } as const;

/** Calls a recovery off that is not notified yet. */
function fireAgain(draft: Draft, policy: AlertPolicy, facts: Facts): Draft {
  return extend(draft, {
    alert: { ...notRecovered, planned: askAgain(draft.alert, policy, facts) },
    timeline: [{ atMs: facts.nowMs, what: 'changed', details: { recovered: false } }],
  });
}

/** Plans of an alert and of the rules that match now, whose windows may have begun unnoticed. */
function askAgain({ planned, severity, openedAtMs }: AlertState, policy: AlertPolicy, { tags, nowMs }: Facts) {
  return joinPlans([...planned, ...askRules(policy, { severity, tags }, nowMs, openedAtMs)]);
}

/** Raises the trouble of an alert: it fires, and the rules are asked again. */
function raise(draft: Draft, policy: AlertPolicy, { type, severity }: Trouble, { tags, nowMs }: Facts): Draft {
  const { alert } = draft;
  const details = { from: severityOf(alert), to: { type, severity } };
  return extend(draft, {
    alert: {
      status: 'firing',
      ...unacknowledged,
      type,
      severity,
      planned: joinPlans([...alert.planned, ...askRules(policy, { severity, tags }, nowMs)]),
      // a channel that knew it as bad before it got better is notified again
      told: alert.told.map((notified) => knowingAtMost(notified, alert)),
    },
    timeline: [{ atMs: nowMs, what: 'severity_raised', details }],
    changes: alert.status === 'acknowledged' ? ['firing'] : [],
  });
}

function knowingAtMost(notified: NotifiedChannel, { type, severity }: Trouble): NotifiedChannel {
  return isWorse(notified, { type, severity }) ? { ...notified, type, severity } : notified;
}

function severityOf({ type, severity }: Trouble): Trouble {
  return { type, severity };
}

function idOf({ channel_id: id }: { readonly channel_id: string }): string {
  return id;
}
