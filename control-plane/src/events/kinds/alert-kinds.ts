import { acknowledgedVia, alertStatuses, holds, resolutions } from '@vantage/shared/alerts/alert.js';
import { alertSeverities, alertTypes } from '@vantage/shared/alerts/policy.js';
import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { defineKind, instant, record } from './kind.js';

const choice = <T extends string>(values: readonly T[], description?: string) =>
  Type.Enum([...values], { type: 'string', ...(description === undefined ? {} : { description }) });

/** An alert as events, webhooks and the API show it (API specification 2.5). */
export const AlertRecordSchema = record({
  id: Type.String(),
  policy_id: Type.String(),
  monitor_id: Type.String(),
  type: choice(alertTypes),
  status: choice(alertStatuses),
  started_at: Type.String({ format: 'date-time', description: 'Begin of the trouble that the alert is about.' }),
  acknowledged_at: nullable(instant, 'Not acknowledged.'),
  acknowledged_by: nullable(
    Type.String({ description: 'Id of a user or key, `channel:` and its name, or a masked recipient.' }),
    'Not acknowledged.',
  ),
  resolved_at: nullable(instant, 'Not resolved.'),
  metadata: record({
    severity: choice(alertSeverities),
    monitor: record({ id: Type.String(), name: Type.String(), type: Type.String(), target: Type.String() }),
    monitor_event_id: nullable(Type.String(), 'The alert is not about an event of the monitor.'),
    reason: nullable(Type.String(), 'None is known.'),
    affected_nodes: Type.Array(Type.String(), { description: 'Ids of nodes.' }),
    notified: Type.Boolean({ description: 'True if a channel was sent a message about the alert.' }),
    held_by: Type.Array(choice(holds), { description: 'What keeps messages back.' }),
    group_key: nullable(
      Type.String({ description: 'Group, or `storm:` and the channel, with whose messages the last one was joined.' }),
      'No message about the alert was joined.',
    ),
    next_step_at: nullable(instant, 'No step of the escalation follows.'),
    acknowledged_via: nullable(choice(acknowledgedVia), 'Not acknowledged.'),
    resolution: nullable(choice(resolutions, 'How it was resolved.'), 'Not resolved.'),
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
  /** It was opened, its severity rose, or nobody ended the trouble in time after an acknowledgement. */
  'alert.firing': ofAlert,
  'alert.acknowledged': ofAlert,
  'alert.resolved': ofAlert,
} as const;
