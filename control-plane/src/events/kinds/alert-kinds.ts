import { acknowledgedVia, alertStatuses, holds, resolutions } from '@vantage/shared/alerts/alert.js';
import { alertSeverities, alertTypes } from '@vantage/shared/alerts/policy.js';
import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { defineKind, instant, record } from './kind.js';

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

/** Monitor and policy of an alert, as they were at the time. */
const ofAlert = defineKind(
  'alertEvent',
  record({
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
  }),
);

/** Kinds of events whose subject is an alert. */
export const alertKinds = {
  /** It was opened, its severity rose, or the time-out after an acknowledgement ended without a recovery. */
  'alert.firing': ofAlert,
  'alert.acknowledged': ofAlert,
  'alert.resolved': ofAlert,
} as const;
