/** Acts on webhook endpoints that the audit log keeps; part of the public API. */
export const webhookActions = [
  'webhook.created',
  'webhook.changed',
  'webhook.deleted',
  'webhook.secret_rotated',
  'webhook.disabled',
  'webhook.redelivered',
  'webhook.recovered',
] as const;

declare module '../../audit-log/actions.js' {
  interface ActionsOfModules {
    readonly webhooks: (typeof webhookActions)[number];
  }
}
