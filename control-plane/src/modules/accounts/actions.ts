/** Acts on accounts, sessions, passwords and signing keys that the audit log keeps; part of the public API. */
export const accountActions = [
  'account.registered',
  'account.created',
  'account.verified',
  'account.updated',
  'account.disabled',
  'account.enabled',
  'account.email_change_requested',
  'account.email_changed',
  'account.factors_reset',
  'account.sessions_ended',
  'account.deletion_requested',
  'account.restored',
  'account.deleted',
  'password.reset_requested',
  'password.reset',
  'password.changed',
  'email_code.requested',
  'factor.enabled',
  'factor.disabled',
  'recovery_codes.created',
  'recovery_code.used',
  'qr_sign_in.approved',
  'qr_sign_in.denied',
  'passkey.added',
  'passkey.renamed',
  'passkey.removed',
  'passkey.refused',
  'passkey.cloned',
  'identity.linked',
  'identity.unlinked',
  'session.created',
  'session.stepped_up',
  'session.refused',
  'session.confirmed',
  'session.ended',
  'session.revoked',
  'session.reuse_detected',
  'signing_key.rotated',
] as const;

declare module '../../audit-log/actions.js' {
  interface ActionsOfModules {
    readonly accounts: (typeof accountActions)[number];
  }
}
