import type { NewEvent } from './event.js';

/** Event about a credential. `change`: the act, as in the audit log. */
export function credentialChanged(
  ownerId: string,
  credentialId: string,
  change: string,
): NewEvent<'credential.changed'> {
  const payload = { credential_id: credentialId, change };
  return { kind: 'credential.changed', ownerId, isTest: false, subject: ownerId, payload };
}
