/** Names of audit-log entries about nodes and enrollment tokens. The names are public API. */
export const nodeActions = [
  'enrollment_token.created',
  'enrollment_token.revoked',
  'enrollment_token.refused',
  'node.enrolled',
  'node.location_confirmed',
  'node.location_unconfirmed',
  'node.banned',
  'node.unbanned',
  'node.quarantined',
  'node.updated',
  'node.deleted',
  'node.drained',
  'node.undrained',
  'node.key_rotation_requested',
  'node.key_rotated',
  'node.upgrade_requested',
  'node.upgraded',
  'node.upgrade_failed',
  'node.uplink_lost',
] as const;

declare module '../../audit-log/actions.js' {
  interface ActionsOfModules {
    readonly nodes: (typeof nodeActions)[number];
  }
}
