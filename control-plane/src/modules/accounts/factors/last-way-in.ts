import type { Knex } from 'knex';
import { ApiError } from '../../../http/errors.js';
import type { UserRow } from '../profile/store.js';
import { listIdentities, listPasskeys } from './factor-store.js';

/** Ways to sign in of an account. */
export interface WaysIn {
  readonly hasPassword: boolean;
  readonly passkeys: number;
  /** External accounts. */
  readonly identities: number;
  /** True if a code can be mailed to it: its address is verified. */
  readonly canGetCode: boolean;
}

/** Checks that an account which lost a way to sign in has another one left. @throws ApiError CONFLICT */
export function requireWayIn({ hasPassword, passkeys, identities, canGetCode }: WaysIn): void {
  if (hasPassword || passkeys > 0 || identities > 0 || canGetCode) return;
  const message = 'is the last way to sign in; set a password or add a passkey first';
  throw new ApiError('CONFLICT', { details: { id: [{ code: 'conflict', message }] } });
}

/** Ways to sign in of a user who is locked in the caller's transaction, among those that the installation offers. */
export async function waysInOf(
  trx: Knex,
  { id, password_hash, email_verified_at }: UserRow,
  offered: { readonly passkey: boolean; readonly email_code: boolean },
): Promise<WaysIn> {
  return {
    hasPassword: password_hash !== null,
    passkeys: offered.passkey ? (await listPasskeys(trx, id)).length : 0,
    identities: (await listIdentities(trx, id)).length,
    canGetCode: offered.email_code && email_verified_at !== null,
  };
}
