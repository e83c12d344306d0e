/** The one list of security-relevant acts, `what.happened`; part of the public API. */
export const auditActions = [
  'account.registered',
  'account.created',
  'account.verified',
  'account.updated',
  'account.disabled',
  'account.enabled',
  'account.deleted',
  'password.reset_requested',
  'password.reset',
  'password.changed',
  'session.created',
  'session.refused',
  'session.ended',
  'session.revoked',
  'session.reuse_detected',
  'api_key.created',
  'api_key.revoked',
  'token.created',
  'token.revoked',
  'enrollment_token.created',
  'enrollment_token.revoked',
  'node.enrolled',
  'node.banned',
  'node.unbanned',
  'node.quarantined',
  'signing_key.rotated',
  'job.retried',
  'job.deleted',
] as const;

/** An act of the list. */
export type AuditAction = (typeof auditActions)[number];
