import { isWorse } from '@vantage/shared/alerts/alert.js';
import { decide } from '@vantage/shared/alerts/decide.js';
import type { AlertTrigger, Decision } from '@vantage/shared/alerts/decision.js';
import { noDataDueAt } from '@vantage/shared/alerts/transitions.js';
import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { afterCommit } from '../../../db/after-commit.js';
import { publishAll } from '../../../events/index.js';
import { Slices } from '../../../runtime/slices.js';
import { type AlertedMonitor, readAlertedMonitors } from '../../monitors/index.js';
import type { Destinations } from '../deliveries/destination.js';
import type { Outgoing } from '../deliveries/outgoing.js';
import type { Rooms } from '../deliveries/rooms.js';
import { readAlertNames } from '../events/alert-names.js';
import type { AlertRow } from '../events/alert-row.js';
import { lockPresentAlerts, noteUp, readLatestAlerts, storeAlerts } from '../events/alert-store.js';
import { alertRecord } from '../events/alert-view.js';
import { type DataWait, insertDataWaits } from '../events/data-wait-store.js';
import { insertDue, queueAlertsOfMonitors } from '../events/due-store.js';
import { insertTimeline } from '../events/timeline-store.js';
import { readApplied, readDependents, readPolicies } from '../policies/applying-store.js';
import { readSilenceIndexes } from '../silences/read-silence-indexes.js';
import type { SilenceIndex } from '../silences/silence-index.js';
import type { ChannelTypes } from '../types/registry.js';
import { contextOf, dependenciesOf } from './alert-context.js';
import type { AlertCounts } from './alert-counts.js';
import type { MessageContext } from './alert-messages.js';
import { type AlertingEvent, endsResolution, isTrouble, triggerOf } from './alerting-events.js';
import { afterDecision, type Decided, monitorCopy, type NamedPolicy, type Subject } from './decided.js';
import { groupBy } from './group-by.js';
import { type JoinedNotifications, joinNotifications, writeNotifications } from './join-notifications.js';
import { readZones } from './known-zones.js';
import type { NewNotice, Notices } from './notices.js';
import { readWithoutSilenced } from './without-silenced.js';

// The way from triggers to messages, the same for events of monitors, for instants that are due, and for acts of people. All of it is one
// transaction, and few statements for any number of alerts:
//
//   lock alerts, in the order of their ids ──> read monitors, policies, silences ──> decide each (pure) ──> write alerts,
//   timeline, next looks, events, deliveries ──> commit ──> senders, consumers
//
// A replica that dies before the commit has changed nothing, and its events are still there.

interface RelayOptions {
  readonly clock: Clock;
  readonly notices: Pick<Notices, 'notify'>;
  readonly destinations: Pick<Destinations, 'read' | 'readFallbacks'>;
  readonly outgoing: Pick<Outgoing, 'enqueue'>;
  readonly rooms: Pick<Rooms, 'read'>;
  readonly types: ChannelTypes;
  readonly counts: Pick<AlertCounts, 'countAlert'>;
  readonly messages: Omit<MessageContext, 'nowMs' | 'names' | 'note'>;
}

/** Trigger for one subject. */
interface Asked extends Subject {
  readonly trigger: AlertTrigger;
}

/** Context of several subjects. */
interface Known {
  readonly monitors: ReadonlyMap<string, AlertedMonitor>;
  readonly silences: ReadonlyMap<string, SilenceIndex>;
  readonly down: ReadonlySet<string>;
}

/** Turns triggers into changes of alerts and messages. */
export class Relay {
  constructor(private readonly options: RelayOptions) {}

  /** Handles events of monitors, each of another monitor. */
  async handleEvents(trx: Knex, events: readonly AlertingEvent[]): Promise<void> {
    const ids = events.map(({ subject }) => subject);
    const alerts = groupBy(await lockPresentAlerts(trx, ids), ({ monitor_id: id }) => id);
    const monitors = await this.#readMonitors(trx, ids);
    const policies = await this.#readPolicies(trx, monitors, [...alerts.values()].flat());
    const asked = events.flatMap((event) => {
      const own = alerts.get(event.subject) ?? [];
      return askedOf(event, { monitor: monitors.get(event.subject) ?? null, alerts: own, policies });
    });
    await this.#decideAll(trx, asked, monitors);
    await insertDataWaits(trx, dataWaitsOf(events, policies, this.options.clock.now()));
    await this.#notifyOfFlapping(trx, events, policies);
    await noteUp(
      trx,
      events.filter(endsResolution).map(({ subject }) => subject),
    );
    const dependents = await readDependents(trx, ids);
    await queueAlertsOfMonitors(trx, [...new Set([...dependents.values()].flat())]);
  }

  async #notifyOfFlapping(trx: Knex, events: readonly AlertingEvent[], policies: KnownPolicies): Promise<void> {
    const notices = flappingNotices(events, policies);
    if (notices.length === 0) return;
    const latest = await readLatestAlerts(
      trx,
      notices.map(({ subject: monitorId, policy }) => ({ monitorId, policyId: policy.id })),
    );
    await this.options.notices.notify(
      trx,
      notices.map((notice) => {
        const alertId = latest.get(`${notice.subject} ${notice.policy.id}`);
        return alertId === undefined ? notice : { ...notice, alertId };
      }),
    );
  }

  /** Looks at monitors that had no data since an instant: a policy may have waited for longer than it lasted then. */
  async lookForData(trx: Knex, waits: readonly Omit<DataWait, 'dueAtMs'>[]): Promise<void> {
    const at = new Date(this.options.clock.now());
    const sinceMs = new Map(waits.map((wait) => [wait.monitorId, wait.sinceMs]));
    const monitors = await this.#readMonitors(trx, [...sinceMs.keys()]);
    const silent = [...monitors.values()].filter(
      ({ id, status, noDataSinceMs }) => status === 'active' && noDataSinceMs === sinceMs.get(id),
    );
    await this.handleEvents(
      trx,
      silent.map((monitor) => noDataEvent(monitor, at)),
    );
  }

  /** Looks at alerts that are not resolved, which the caller has locked. */
  async look(trx: Knex, alerts: readonly AlertRow[]): Promise<void> {
    await this.#ask(trx, alerts, { kind: 'look' });
  }

  /** Performs the act of a person on alerts, which the caller has locked. */
  async act(
    trx: Knex,
    alerts: readonly AlertRow[],
    trigger: Extract<AlertTrigger, { kind: 'acknowledge' | 'resolve' }>,
    note: string | null = null,
  ): Promise<void> {
    await this.#ask(trx, alerts, trigger, note);
  }

  async #ask(trx: Knex, alerts: readonly AlertRow[], trigger: AlertTrigger, note: string | null = null): Promise<void> {
    if (alerts.length === 0) return;
    const monitors = await this.#readMonitors(
      trx,
      alerts.map(({ monitor_id: id }) => id),
    );
    const policies = await this.#readPolicies(trx, monitors, alerts);
    const asked = alerts.map((alert): Asked => {
      const monitor = monitors.get(alert.monitor_id) ?? null;
      return {
        ...subjectOf(alert, monitor, policies.of(alert, monitor)),
        details: null,
        isResolvedByUser: trigger.kind === 'resolve',
        trigger,
      };
    });
    await this.#decideAll(trx, asked, monitors, note);
  }

  #readMonitors(trx: Knex, ids: readonly string[]): Promise<ReadonlyMap<string, AlertedMonitor>> {
    return readAlertedMonitors(trx, [...new Set(ids)], this.options.clock.now());
  }

  async #readPolicies(
    trx: Knex,
    monitors: ReadonlyMap<string, AlertedMonitor>,
    alerts: readonly AlertRow[],
  ): Promise<KnownPolicies> {
    const applied = await readApplied(trx, [...monitors.keys()]);
    // of a monitor that was deleted it is no longer known which ones applied
    const orphans = alerts.filter(({ monitor_id: id }) => !monitors.has(id)).map(({ policy_id: id }) => id);
    const byId = orphans.length === 0 ? new Map<string, NamedPolicy>() : await readPolicies(trx, [...new Set(orphans)]);
    return {
      applied,
      of(alert, monitor) {
        if (monitor === null) return byId.get(alert.policy_id) ?? barePolicy(alert);
        return applied.get(monitor.id)?.find(({ policy }) => policy.id === alert.policy_id) ?? null;
      },
    };
  }

  async #decideAll(
    trx: Knex,
    asked: readonly Asked[],
    monitors: ReadonlyMap<string, AlertedMonitor>,
    note: string | null = null,
  ): Promise<void> {
    if (asked.length === 0) return;
    const nowMs = this.options.clock.now();
    const slices = new Slices();
    const known = await this.#readKnown(trx, asked, { monitors, nowMs, slices });
    await readZones(new Set(asked.flatMap(({ policy }) => policy?.policy ?? [])), nowMs, slices);
    const alerts = asked.flatMap(({ alert }) => alert ?? []);
    const changed = await readWithoutSilenced(trx, alerts, nowMs);
    const decided: Decided[] = [];
    for (const one of asked) {
      await slices.spend(stepsOf(one));
      const subject = { ...one, state: changed.get(one.alert?.id ?? '') ?? one.state };
      const after = afterDecision(subject, decideOne(subject, known, nowMs), nowMs);
      if (after !== null) decided.push(after);
    }
    await this.#write(trx, decided, { nowMs, note });
  }

  async #readKnown(
    trx: Knex,
    asked: readonly Asked[],
    {
      monitors,
      nowMs,
      slices,
    }: { readonly monitors: ReadonlyMap<string, AlertedMonitor>; readonly nowMs: number; readonly slices: Slices },
  ): Promise<Known> {
    const owners = [...new Set(asked.map(({ ownerId }) => ownerId))];
    const silences = await readSilenceIndexes(trx, owners, nowMs, slices);
    const needed = asked.flatMap(({ policy, monitor }) => dependenciesOf(policy?.policy ?? null, monitor.id));
    const dependencies = await this.#readMonitors(trx, needed);
    const down = [...dependencies.values()].filter(({ status, health }) => status === 'active' && health === 'down');
    return { monitors, silences, down: new Set(down.map(({ id }) => id)) };
  }

  async #write(
    trx: Knex,
    unjoined: readonly Decided[],
    { nowMs, note }: { readonly nowMs: number; readonly note: string | null },
  ): Promise<void> {
    const { counts, messages } = this.options;
    const joined = await joinNotifications(trx, unjoined, { ...this.options, context: { ...messages, nowMs } });
    const { decided } = joined;
    await storeAlerts(
      trx,
      decided.map(({ row }) => row),
    );
    await insertTimeline(
      trx,
      decided.flatMap((one) => timelineOf(one, note)),
    );
    await insertDue(
      trx,
      decided.flatMap(({ row: { id }, markAtMs: atMs }) => (atMs === null ? [] : [{ alertId: id, atMs }])),
    );
    await publishAll(trx, decided.flatMap(eventsOf));
    await this.#send(trx, joined, { nowMs, note });
    afterCommit(trx, () => {
      for (const { decision, row } of decided)
        for (const change of decision.changes) counts.countAlert(row.type, change);
    });
  }

  async #send(
    trx: Knex,
    joined: JoinedNotifications,
    { nowMs, note }: { readonly nowMs: number; readonly note: string | null },
  ): Promise<void> {
    const { destinations, outgoing, messages: fixed } = this.options;
    const named = joined.decided.filter(
      ({ decision: { notifications, changes } }) => notifications.length > 0 || changes.length > 0,
    );
    const names = await readAlertNames(
      trx,
      named.map(({ row }) => row),
    );
    const context = { ...fixed, nowMs, names, note };
    const messages = await writeNotifications(trx, joined, { destinations, context });
    if (messages.length > 0) await outgoing.enqueue(trx, messages);
  }
}

/** Policies of several alerts. */
interface KnownPolicies {
  /** Enabled policies that apply, by monitor. */
  readonly applied: ReadonlyMap<string, readonly NamedPolicy[]>;
  /** Policy of an alert; null if it does not apply any more. */
  of(alert: AlertRow, monitor: AlertedMonitor | null): NamedPolicy | null;
}

function askedOf(
  event: AlertingEvent,
  {
    monitor,
    alerts,
    policies,
  }: {
    readonly monitor: AlertedMonitor | null;
    readonly alerts: readonly AlertRow[];
    readonly policies: KnownPolicies;
  },
): Asked[] {
  const severity = monitor?.alertSeverity ?? { down: 'critical', degraded: 'warning' };
  const details = isTrouble(event) ? detailsOf(event) : null;
  const known = alerts.map((alert): Asked => {
    const policy = policies.of(alert, monitor);
    // what no longer applies is resolved, whatever happens
    const trigger: AlertTrigger = policy === null ? { kind: 'look' } : triggerOf(event, alert.state, severity);
    return { ...subjectOf(alert, monitor, policy), details, isResolvedByUser: false, trigger };
  });
  if (monitor === null || !isTrouble(event)) return known.filter(({ alert }) => alert?.status !== 'resolved');
  const covered = new Set(alerts.map(({ policy_id: id }) => id));
  const others = (policies.applied.get(monitor.id) ?? []).filter(({ policy }) => !covered.has(policy.id));
  const fresh = others.map((policy): Asked => {
    const trigger = triggerOf(event, null, severity);
    return { ...newSubject(monitor, policy), details, isResolvedByUser: false, trigger };
  });
  return [...known, ...fresh];
}

/** Looks at monitors without data, of which a policy opens an alert only later. */
function dataWaitsOf(events: readonly AlertingEvent[], { applied }: KnownPolicies, nowMs: number): DataWait[] {
  return events.flatMap((event) => {
    if (event.kind !== 'monitor.no_data' || event.payload.is_over) return [];
    const sinceMs = Date.parse(event.payload.since);
    const dues = (applied.get(event.subject) ?? []).map(({ policy }) => noDataDueAt(policy, sinceMs) ?? nowMs);
    const later = dues.filter((dueAtMs) => dueAtMs > nowMs);
    return later.length === 0 ? [] : [{ monitorId: event.subject, sinceMs, dueAtMs: Math.min(...later) }];
  });
}

function noDataEvent({ id, name, type, target, isTest, noDataSinceMs }: AlertedMonitor, at: Date): AlertingEvent {
  const payload = {
    monitor: { id, name, type, target },
    since: new Date(noDataSinceMs ?? at).toISOString(),
    is_over: false,
  };
  return { kind: 'monitor.no_data', subject: id, isTest, at, payload };
}

/** Notices that flapping of monitors begins, or is over, for policies that want them. */
function flappingNotices(events: readonly AlertingEvent[], { applied }: KnownPolicies): NewNotice[] {
  return events.flatMap((event) => {
    if (event.kind !== 'monitor.flapping') return [];
    const { monitor, is_flapping: isFlapping, is_up: isUp } = event.payload;
    const notifying = (applied.get(event.subject) ?? []).filter(
      ({ policy }) => policy.suppression.flapping === 'notice',
    );
    return notifying.map(({ policy }) => ({
      isTest: event.isTest,
      policy,
      tags: monitor.tags ?? [],
      subject: monitor.id,
      notice: { kind: 'flapping', monitor, isOver: !isFlapping, isUp } as const,
      sinceMs: event.at.getTime(),
    }));
  });
}

type Part = Pick<Subject, 'ownerId' | 'isTest' | 'monitor' | 'policy' | 'alert' | 'state'>;

function subjectOf(alert: AlertRow, monitor: AlertedMonitor | null, policy: NamedPolicy | null): Part {
  const { owner_id: ownerId, is_test: isTest } = alert;
  return { ownerId, isTest, monitor: monitor ?? monitorCopy(alert), policy, alert, state: alert.state };
}

function newSubject(monitor: AlertedMonitor, policy: NamedPolicy): Part {
  return { ownerId: monitor.ownerId, isTest: monitor.isTest, monitor, policy, alert: null, state: null };
}

function detailsOf(event: AlertingEvent) {
  if (event.kind !== 'monitor.down' && event.kind !== 'monitor.degraded') return { reason: null, affectedNodes: [] };
  const { reason, affected_nodes: affectedNodes } = event.payload.event;
  return { reason, affectedNodes };
}

/** Steps of a window, as `Slices` counts them: its occurrences of a month are computed several times. */
const STEPS_PER_WINDOW = 60;
const STEPS_PER_RULE = 10;

/** Greatest cost of a decision. */
function stepsOf({ policy, state }: Asked): number {
  const fixed = STEPS_PER_RULE * (1 + (state?.told.length ?? 0));
  if (policy === null) return fixed;
  const { rules, escalation, suppression } = policy.policy;
  const windows = rules.filter(({ match }) => match.time_window !== null).length + suppression.quiet_hours.length;
  return fixed + STEPS_PER_WINDOW * windows + STEPS_PER_RULE * (rules.length + escalation.steps.length);
}

function decideOne({ state, monitor, policy, trigger }: Asked, known: Known, nowMs: number): Decision {
  const present = known.monitors.get(monitor.id) ?? null;
  const silences = known.silences.get(present?.ownerId ?? '');
  const worst = trigger.kind === 'trouble' && (state === null || isWorse(trigger, state)) ? trigger : state;
  const isSilenceable = present !== null && worst !== null && silences !== undefined;
  const silencedUntilMs = isSilenceable ? silences.untilMs(present, worst.severity) : null;
  const nextHoldAtMs = isSilenceable ? silences.nextAtMs(present, worst.severity) : null;
  const context = contextOf({
    monitor: present,
    policy: policy?.policy ?? null,
    silencedUntilMs,
    down: known.down,
  });
  const { tags, id: monitorId } = monitor;
  return decide({
    alert: state,
    monitorId,
    policy: policy?.policy ?? null,
    tags,
    context,
    nextHoldAtMs,
    trigger,
    nowMs,
  });
}

/** Policy of an alert whose monitor and policy were deleted together: whom it notified is notified of the end. */
function barePolicy({ policy_id: id, policy_name: name }: AlertRow): NamedPolicy {
  return {
    name,
    policy: {
      id,
      rules: [],
      escalation: { steps: [], repeat: 0, ack_timeout_sec: 0 },
      on_recovery: { notify: true, delay_sec: 0, channels: [] },
      suppression: { after_sec: 0, quiet_hours: [], flapping: 'all', depends_on: [], no_data_after_sec: 0 },
    },
  };
}

/** Changes of an alert after which its timeline notes no more of what holds it: a silence that comes and goes is not noted. */
const MOST_NOTED = 1_000;

function timelineOf({ decision, row }: Decided, note: string | null) {
  const noted =
    row.changes <= MOST_NOTED ? decision.timeline : decision.timeline.filter(({ what }) => !isHolding(what));
  return noted.map((entry) => ({
    ...entry,
    details: note !== null && entry.what === 'acknowledged' ? { ...entry.details, note } : entry.details,
    alertId: row.id,
    ownerId: row.owner_id,
  }));
}

function isHolding(what: Decision['timeline'][number]['what']): boolean {
  return what === 'held' || what === 'released' || what === 'dropped';
}

function eventsOf({ decision, row }: Decided) {
  const payload = {
    alert: alertRecord(row),
    monitor: {
      id: row.monitor_id,
      name: row.monitor_name,
      type: row.monitor_type,
      target: row.monitor_target,
      tags: [...row.monitor_tags],
      group_id: row.monitor_group_id,
    },
    policy: { id: row.policy_id, name: row.policy_name },
  };
  return decision.changes.map((change) => ({
    kind: `alert.${change}` as const,
    ownerId: row.owner_id,
    isTest: row.is_test,
    subject: row.id,
    payload,
  }));
}
