import type { Notification } from '@vantage/shared/alerts/decision.js';
import { reminderAt } from '@vantage/shared/alerts/due-notifications.js';
import type { Destination } from '../deliveries/destination.js';
import type { NewMessage, WritingFor } from '../deliveries/new-deliveries.js';
import type { AlertNames } from '../events/alert-names.js';
import type { AlertRow } from '../events/alert-row.js';
import { alertRecord } from '../events/alert-view.js';
import type { Message } from '../types/message.js';
import { alertMessage } from '../types/texts/alert-message.js';
import type { AlertFacts } from '../types/texts/facts.js';
import type { Decided } from './decided.js';

/** Version of payloads: additions do not change it. */
export const PAYLOAD_VERSION = 1;

const eventTypes: Readonly<Record<Notification['kind'], 'alert.firing' | 'alert.acknowledged' | 'alert.resolved'>> = {
  firing: 'alert.firing',
  severity: 'alert.firing',
  reminder: 'alert.firing',
  escalation: 'alert.firing',
  acknowledged: 'alert.acknowledged',
  resolved: 'alert.resolved',
};

/** Parts of messages that are not in the alert. */
export interface MessageContext {
  readonly nowMs: number;
  /** Name of a node, as people know it. */
  nodeName(id: string): string;
  readonly names: AlertNames;
  /** Note of the person who acknowledges now; null if there is none. */
  readonly note: string | null;
  /** Address of the page that lists the nodes. */
  readonly nodesUrl: string;
  /** Address of the page that shows an alert, or by the id of a delivery the alerts of a digest; those that fire are acknowledged there. */
  pageUrl(subjectId: string, channel: { readonly id: string; readonly recipient: string | null }): string;
}

/** Message of a decision to a channel. */
export function messageOf(
  decided: Decided,
  notification: Notification,
  { destination, context }: { readonly destination: Destination; readonly context: MessageContext },
): NewMessage {
  const { row } = decided;
  return {
    destination,
    ...(notification.choice.to === null ? {} : { to: notification.choice.to }),
    messageGroup: `${row.id} ${row.changes} ${notification.kind}`,
    kind: notification.kind,
    alertIds: [row.id],
    alertCount: 1,
    monitorId: row.monitor_id,
    ...(row.is_test ? { isTest: true } : {}),
    write: (writing) => writeMessage(decided, notification, { destination, writing, context }),
  };
}

/** Writes the message of a decision for one channel, in its language. */
export function writeMessage(
  { row, policy }: Pick<Decided, 'row' | 'policy'>,
  { kind, severity }: Pick<Notification, 'kind' | 'severity'>,
  {
    destination: { channelId },
    writing,
    context,
  }: { readonly destination: Destination; readonly writing: WritingFor; readonly context: MessageContext },
): Message {
  const { state } = row;
  const known = state.told.find(({ choice }) => choice.channel_id === channelId);
  const isFiring = state.status === 'firing';
  const pageUrl = context.pageUrl(row.id, { id: channelId, recipient: writing.recipient });
  const nodes = row.affected_nodes.map((id) => context.nodeName(id));
  const acknowledgedBy = context.names.acknowledgedBy(row);
  const facts: AlertFacts = {
    id: writing.id,
    thread: row.id,
    payload: payloadOf(row, eventTypes[kind], { id: writing.id, nowMs: context.nowMs }),
    kind,
    type: row.type,
    severity,
    monitor: { name: row.monitor_name, type: row.monitor_type, target: row.monitor_target },
    nowMs: context.nowMs,
    startedAtMs: state.startedAtMs,
    resolvedAtMs: state.resolvedAtMs,
    resolution: state.resolution,
    reason: row.reason,
    nodes,
    acknowledgedBy,
    note: kind === 'acknowledged' ? context.note : null,
    nextStepAtMs: row.next_step_at?.getTime() ?? null,
    nextReminderAtMs: known === undefined || policy === null || !isFiring ? null : reminderAt(known, policy.policy),
    failedChannels: [],
    isTest: false,
    acknowledgeUrl: isFiring ? pageUrl : null,
    monitorUrl: pageUrl,
  };
  const names = { nodes, acknowledgedBy, group: context.names.group(row) };
  return { ...alertMessage(facts, writing), monitor: { id: row.monitor_id, name: row.monitor_name }, names };
}

/** Object that a webhook channel gets. `id`: id of the delivery. */
export function payloadOf(
  row: AlertRow,
  type: string,
  { id, nowMs }: { readonly id: string; readonly nowMs: number },
): Readonly<Record<string, unknown>> {
  return {
    id,
    type,
    version: PAYLOAD_VERSION,
    timestamp: new Date(nowMs).toISOString(),
    sequence: row.changes,
    test: row.is_test,
    data: { alert: alertRecord(row), monitor: shownMonitor(row), policy: { id: row.policy_id, name: row.policy_name } },
  };
}

function shownMonitor(row: AlertRow) {
  return {
    id: row.monitor_id,
    name: row.monitor_name,
    type: row.monitor_type,
    target: row.monitor_target,
    tags: [...row.monitor_tags],
    group: row.monitor_group_id,
  };
}
