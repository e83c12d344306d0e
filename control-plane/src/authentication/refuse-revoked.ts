import type { Knex } from 'knex';
import type { Actor } from '../audit-log/actor.js';
import type { ErrorCode } from '../http/error-table.js';
import { ApiError } from '../http/errors.js';
import { type CredentialTable, findRevoked } from './revoked-store.js';

const refusals: Readonly<Record<CredentialTable, ErrorCode>> = {
  sessions: 'AUTH_SESSION_INVALID',
  personal_access_tokens: 'AUTH_INVALID_TOKEN',
  api_keys: 'API_KEY_REVOKED',
};

/**
 * Refuses an act by a credential that was revoked after its request was admitted. To be called with the lock of the
 * account's user, before something is created that gives access to the account, or the account is deleted: an act that
 * revokes credentials holds that lock, so nothing that a revoked one makes outlives it.
 * @throws ApiError AUTH_SESSION_INVALID, AUTH_INVALID_TOKEN, API_KEY_REVOKED
 */
export async function refuseRevoked(trx: Knex, { credentialId }: Actor): Promise<void> {
  const revoked = credentialId === null ? null : await findRevoked(trx, credentialId);
  if (revoked !== null) throw new ApiError(refusals[revoked]);
}
