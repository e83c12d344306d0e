import { type Static, Type } from 'typebox';
import { AlertRecordSchema, type PayloadOf } from '../../../events/index.js';
import { defineWebhookKind, open, type PayloadContext } from './kind.js';
import { cutToSize, exampleData, exampleMonitor, id, MonitorData, monitorId, monitorPart } from './parts.js';

const alertId = 'ae_1FZ3ybQXhhsV3cDKtVoMjX';
const policyId = 'ap_1FZ3ybQXhhsV3cDKtVoMjX';
const record = AlertRecordSchema.properties;

/** Alert as `GET /v1/alert-events/{id}` shows it, cut to the greatest size. */
const AlertPart = open({
  ...record,
  metadata: open({
    ...record.metadata.properties,
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

type AlertKind = 'alert.firing' | 'alert.acknowledged' | 'alert.resolved';

/** Kind of webhook about a change of an alert. `status`: of the alert afterwards. */
function defineAlertKind(summary: string, status: 'firing' | 'acknowledged' | 'resolved') {
  const alert = exampleAlert(status);
  const policy = { id: policyId, name: 'Everyone' };
  return defineWebhookKind<AlertKind, typeof AlertData>({
    summary,
    subject: 'alert event',
    full: AlertData,
    thin: ThinAlert,
    eventExample: { alert, monitor: { ...exampleMonitor, group_id: null }, policy },
    example: {
      alert,
      monitor: exampleData.monitor,
      policy,
      url: `http://localhost:8080/v1/alert-events/${alertId}`,
    },
    dataOf: ({ payload }, context) => dataOf(payload, context),
    thinOf: ({ alert: { id: alert_event_id, monitor_id, policy_id } }) => ({ alert_event_id, monitor_id, policy_id }),
  });
}

function dataOf(
  { alert, monitor, policy }: PayloadOf<'alert.firing'>,
  context: PayloadContext,
): Static<typeof AlertData> {
  return {
    alert: { ...alert, metadata: { ...alert.metadata, ...cutToSize(alert.metadata) } },
    monitor: monitorPart(monitor, context).monitor,
    policy,
    url: `${context.publicUrl}/v1/alert-events/${alert.id}`,
  };
}

function exampleAlert(status: 'firing' | 'acknowledged' | 'resolved'): PayloadOf<'alert.firing'>['alert'] {
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

/** alert.firing */
export const alertFiring = defineAlertKind('An alert opened, or fires again after an acknowledgement.', 'firing');

/** alert.acknowledged */
export const alertAcknowledged = defineAlertKind(
  'A user or a recipient of a message acknowledged an alert.',
  'acknowledged',
);

/** alert.resolved */
export const alertResolved = defineAlertKind('An alert has ended.', 'resolved');
