import { acknowledgedVia, alertStatuses, holds, resolutions } from '@vantage/shared/alerts/alert.js';
import { alertSeverities, alertTypes } from '@vantage/shared/alerts/policy.js';
import { nullable } from '@vantage/shared/nullable.js';
import { type Static, Type } from 'typebox';
import { defineKind, instant, open, record } from './kind.js';
import { cutToSize, exampleData, exampleMonitor, id, MonitorData, monitorId, monitorPart } from './parts.js';

const choice = <T extends string>(values: readonly T[]) => Type.Enum([...values], { type: 'string' });

/** An alert as events, webhooks and the API show it (API specification 2.5). */
export const AlertRecordSchema = record({
  id: Type.String(),
  policy_id: Type.String(),
  monitor_id: Type.String(),
  type: choice(alertTypes),
  status: choice(alertStatuses),
  started_at: Type.String({
    format: 'date-time',
    description: 'Start of the outage or problem that the alert is about.',
  }),
  acknowledged_at: nullable(instant, 'Time of the acknowledgement; null: not acknowledged.'),
  acknowledged_by: nullable(
    Type.String(),
    'Id of a user or key, `channel:` and the name of a channel, or a masked recipient; null: not acknowledged.',
  ),
  resolved_at: nullable(instant, 'Time of the resolution; null: not resolved.'),
  metadata: record({
    severity: choice(alertSeverities),
    monitor: record({ id: Type.String(), name: Type.String(), type: Type.String(), target: Type.String() }),
    monitor_event_id: nullable(Type.String(), 'Event of the monitor; null: the alert is about missing data.'),
    reason: nullable(Type.String(), 'Reason that the nodes reported; null: none.'),
    affected_nodes: Type.Array(Type.String(), { description: 'Ids of the nodes whose checks failed.' }),
    notified: Type.Boolean({ description: 'True if a message about the alert was sent to a channel.' }),
    held_by: Type.Array(choice(holds), { description: 'Reasons why messages are held back.' }),
    group_key: nullable(
      Type.String(),
      'Group, or `storm:` and the channel, in whose joint message the alert was last named; null: no message about the alert was joined.',
    ),
    next_step_at: nullable(instant, 'Time of the next step of the escalation; null: none follows.'),
    acknowledged_via: nullable(choice(acknowledgedVia), 'Way of the acknowledgement; null: not acknowledged.'),
    resolution: nullable(choice(resolutions), 'Cause of the resolution; null: not resolved.'),
  }),
  created_at: instant,
});

const alertId = 'ae_1FZ3ybQXhhsV3cDKtVoMjX';
const policyId = 'ap_1FZ3ybQXhhsV3cDKtVoMjX';

/** Alert as `GET /v1/alert-events/{id}` shows it, cut to the greatest size. */
const AlertPart = open({
  ...AlertRecordSchema.properties,
  metadata: open({
    ...AlertRecordSchema.properties.metadata.properties,
    truncated: Type.Optional(
      Type.Boolean({ description: 'True if `affected_nodes` or `reason` is cut; absent: it is not.' }),
    ),
  }),
});

const AlertData = open({
  alert: AlertPart,
  monitor: MonitorData.properties.monitor,
  policy: open({ id: id(policyId), name: Type.String() }),
  url: Type.String({ description: 'URL of the alert in this API.' }),
});
const ThinAlert = open({ alert_event_id: id(alertId), monitor_id: id(monitorId), policy_id: id(policyId) });

/** Alert with its monitor and policy, as they were at the time. */
const AlertPayload = record({
  alert: AlertRecordSchema,
  monitor: record({
    id: Type.String(),
    name: Type.String(),
    type: Type.String(),
    target: Type.String(),
    tags: Type.Array(Type.String()),
    group_id: nullable(Type.String(), 'it is in none'),
  }),
  policy: record({ id: Type.String(), name: Type.String() }),
});

/** Kind about a change of an alert. `status`: of the alert afterwards. */
function ofAlert(summary: string, status: 'firing' | 'acknowledged' | 'resolved') {
  const alert = exampleAlert(status);
  const policy = { id: policyId, name: 'Everyone' };
  return defineKind('alertEvent', AlertPayload, {
    summary,
    full: AlertData,
    thin: ThinAlert,
    eventExample: { alert, monitor: { ...exampleMonitor, group_id: null }, policy },
    example: {
      alert,
      monitor: exampleData.monitor,
      policy,
      url: `http://localhost:8080/v1/alert-events/${alertId}`,
    },
    dataOf: ({ alert, monitor, policy }, context) => ({
      alert: { ...alert, metadata: { ...alert.metadata, ...cutToSize(alert.metadata) } },
      monitor: monitorPart(monitor, context).monitor,
      policy,
      url: `${context.publicUrl}/v1/alert-events/${alert.id}`,
    }),
    thinOf: ({ alert: { id: alert_event_id, monitor_id, policy_id } }) => ({ alert_event_id, monitor_id, policy_id }),
  });
}

function exampleAlert(status: 'firing' | 'acknowledged' | 'resolved'): Static<typeof AlertRecordSchema> {
  const isAcknowledged = status === 'acknowledged';
  const isResolved = status === 'resolved';
  const { id: monitorOf, name, type, target } = exampleMonitor;
  return {
    id: alertId,
    policy_id: policyId,
    monitor_id: monitorOf,
    type: 'down',
    status,
    started_at: '2026-11-21T09:16:00.000Z',
    acknowledged_at: isAcknowledged ? '2026-11-21T09:20:00.000Z' : null,
    acknowledged_by: isAcknowledged ? 'channel:Operations' : null,
    resolved_at: isResolved ? '2026-11-21T09:31:00.000Z' : null,
    metadata: {
      severity: 'critical',
      monitor: { id: monitorOf, name, type, target },
      monitor_event_id: 'mev_1FZ3ybQXhhsV3cDKtVoMjY',
      reason: '1 of 1 nodes: tcp_refused',
      affected_nodes: ['n_1FZ3ybQXhhsV3cDKtVoMjZ'],
      notified: true,
      held_by: [],
      group_key: null,
      next_step_at: null,
      acknowledged_via: isAcknowledged ? 'link' : null,
      resolution: isResolved ? 'recovered' : null,
    },
    created_at: '2026-11-21T09:16:02.000Z',
  };
}

/** Kinds of events whose subject is an alert. */
export const alertKinds = {
  /** It was opened, its severity rose, or the time-out after an acknowledgement ended without a recovery. */
  'alert.firing': ofAlert('An alert opened, or fires again after an acknowledgement.', 'firing'),
  'alert.acknowledged': ofAlert('A user or a recipient of a message acknowledged an alert.', 'acknowledged'),
  'alert.resolved': ofAlert('An alert has ended.', 'resolved'),
} as const;
