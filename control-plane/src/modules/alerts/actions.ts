/** Acts on channels, deliveries, policies, silences and groups of alerts that the audit log keeps; part of the public API. */
export const alertActions = [
  'alert_channel.created',
  'alert_channel.changed',
  'alert_channel.deleted',
  'alert_channel.tested',
  'alert_channel.recipient_verified',
  'alert_channel.recipient_unsubscribed',
  'alert_channel.recipient_resubscribed',
  'alert_channel.monitor_stopped',
  'alert_channel.monitor_resumed',
  'alert_delivery.retried',
  'alert_event.acknowledged',
  'alert_event.resolved',
  'alert_policy.created',
  'alert_policy.changed',
  'alert_policy.deleted',
  'alert_silence.created',
  'alert_silence.changed',
  'alert_silence.ended',
  'alert_silence.deleted',
  'alert_group.created',
  'alert_group.changed',
  'alert_group.deleted',
] as const;

declare module '../../audit-log/actions.js' {
  interface ActionsOfModules {
    readonly alerts: (typeof alertActions)[number];
  }
}
