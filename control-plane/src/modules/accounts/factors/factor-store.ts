import type { Knex } from 'knex';
import { queryPrepared } from '../../../db/prepared.js';
import { findRow } from '../../../db/row-by-key.js';
import type { SecondFactorProof } from '../judgement/judge-sign-in.js';

/** Secret of an authenticator app. */
export interface TotpRow {
  readonly user_id: string;
  readonly sealed_secret: Buffer;
  readonly created_at: Date;
  /** Null until a code has confirmed it. */
  readonly enabled_at: Date | null;
  /** Time step of the last code that was used. */
  readonly last_step: number;
}

const FIND_TOTP = {
  name: 'find-totp',
  text: 'SELECT user_id AS key, user_id, sealed_secret, created_at, enabled_at, last_step FROM totp_secrets WHERE user_id = ANY($1)',
};

/** Secret of a user, enabled or set up; null if there is none. */
export async function findTotp(db: Knex, userId: string): Promise<TotpRow | null> {
  const row = await findRow<TotpRow>(db, FIND_TOTP, userId);
  return row === null ? null : { ...row, last_step: Number(row.last_step) };
}

/** Stores a secret that is set up, in place of an earlier one that is not enabled. */
export async function insertTotp(
  trx: Knex,
  row: Pick<TotpRow, 'user_id' | 'sealed_secret' | 'created_at'>,
): Promise<void> {
  await trx('totp_secrets').insert(row).onConflict('user_id').merge().where('totp_secrets.enabled_at', null);
}

/** Enables a secret that is set up. */
export async function enableTotp(trx: Knex, userId: string, at: Date, step: number): Promise<boolean> {
  const enabled = { enabled_at: at, last_step: step };
  return (await trx('totp_secrets').where({ user_id: userId, enabled_at: null }).update(enabled)) === 1;
}

/** Uses up a time step and all before it: true for exactly one of several callers. */
export async function useTotpStep(db: Knex, userId: string, step: number): Promise<boolean> {
  const unused = db('totp_secrets').where({ user_id: userId }).whereNotNull('enabled_at').where('last_step', '<', step);
  return (await unused.update({ last_step: step })) === 1;
}

/** Deletes the secret and the recovery codes of a user; false if there was no enabled secret. */
export async function deleteSecondFactor(trx: Knex, userId: string): Promise<boolean> {
  await trx('recovery_codes').where({ user_id: userId }).delete();
  const deleted = await trx('totp_secrets').where({ user_id: userId }).delete().returning<TotpRow[]>('*');
  return deleted.some(({ enabled_at }) => enabled_at !== null);
}

/** Replaces all recovery codes of a user. */
export async function replaceRecoveryCodes(trx: Knex, userId: string, hashes: readonly Buffer[]): Promise<void> {
  await trx('recovery_codes').where({ user_id: userId }).delete();
  await trx('recovery_codes').insert(hashes.map((code_hash) => ({ user_id: userId, code_hash })));
}

/** Uses up a recovery code: true for exactly one of several callers. */
export async function useRecoveryCode(db: Knex, userId: string, codeHash: Buffer, at: Date): Promise<boolean> {
  const unused = db('recovery_codes').where({ user_id: userId, code_hash: codeHash, used_at: null });
  return (await unused.update({ used_at: at })) === 1;
}

const COUNT_CODES = {
  name: 'count-recovery-codes',
  text: 'SELECT count(*)::int AS count FROM recovery_codes WHERE user_id = $1 AND used_at IS NULL',
};

/** Number of recovery codes that were not used. */
export async function countRecoveryCodes(db: Knex, userId: string): Promise<number> {
  const [row] = await queryPrepared<{ count: number }>(db, COUNT_CODES, [userId]);
  return row?.count ?? 0;
}

/** A passkey of a user. */
export interface PasskeyRow {
  readonly id: string;
  readonly user_id: string;
  readonly credential_id: Buffer;
  /** COSE key (RFC 9052 section 7). */
  readonly public_key: Buffer;
  /** Signature counter (WebAuthn section 6.1.1); 0 if the authenticator has none. */
  readonly counter: number;
  readonly transports: string[];
  readonly name: string;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

/** Account of a user at an external provider. */
export interface IdentityRow {
  readonly id: string;
  readonly user_id: string;
  readonly provider: string;
  readonly subject: string;
  readonly label: string | null;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

const LIST_PASSKEYS = {
  name: 'passkeys-of-user',
  text: 'SELECT id, user_id, credential_id, public_key, counter, transports, name, created_at, last_used_at FROM passkeys WHERE user_id = $1 ORDER BY id DESC',
};

/** Passkeys of a user, newest first. */
export async function listPasskeys(db: Knex, userId: string): Promise<PasskeyRow[]> {
  const rows = await queryPrepared<PasskeyRow>(db, LIST_PASSKEYS, [userId]);
  return rows.map((row) => ({ ...row, counter: Number(row.counter) }));
}

/** Passkey of a user with this credential id; null if there is none. */
export async function findPasskey(db: Knex, userId: string, credentialId: Buffer): Promise<PasskeyRow | null> {
  const passkey = { user_id: userId, credential_id: credentialId };
  return (await db('passkeys').where(passkey).first<PasskeyRow | undefined>()) ?? null;
}

/** Stores a passkey; false if it is stored already, for any user. */
export async function insertPasskey(trx: Knex, row: PasskeyRow): Promise<boolean> {
  const inserted = await trx('passkeys').insert(row).onConflict('credential_id').ignore().returning('id');
  return inserted.length === 1;
}

/** Stores a use of a passkey: false if its counter did not grow. Authenticators without a counter always send 0. */
export async function usePasskey(
  trx: Knex,
  id: string,
  { counter, at }: { readonly counter: number; readonly at: Date },
): Promise<boolean> {
  const grows = trx('passkeys').where({ id }).whereRaw('(counter < ? OR (counter = 0 AND ? = 0))', [counter, counter]);
  return (await grows.update({ counter, last_used_at: at })) === 1;
}

/** Renames a passkey of a user; null if there is no such passkey. */
export async function renamePasskey(
  trx: Knex,
  { id, userId, name }: { readonly id: string; readonly userId: string; readonly name: string },
): Promise<PasskeyRow | null> {
  const [row] = await trx('passkeys').where({ id, user_id: userId }).update({ name }).returning<PasskeyRow[]>('*');
  return row ?? null;
}

/** Deletes one passkey of a user; null if there is no such passkey. */
export async function deletePasskey(
  trx: Knex,
  { id, userId }: { readonly id: string; readonly userId: string },
): Promise<PasskeyRow | null> {
  const [row] = await trx('passkeys').where({ id, user_id: userId }).delete().returning<PasskeyRow[]>('*');
  return row ?? null;
}

/** Deletes all passkeys of a user, and returns them. */
export function deletePasskeys(trx: Knex, userId: string): Promise<PasskeyRow[]> {
  return trx('passkeys').where({ user_id: userId }).delete().returning<PasskeyRow[]>('*');
}

const LIST_IDENTITIES = {
  name: 'identities-of-user',
  text: 'SELECT id, user_id, provider, subject, label, created_at, last_used_at FROM identities WHERE user_id = $1 ORDER BY id DESC',
};

/** External accounts of a user, newest first. */
export function listIdentities(db: Knex, userId: string): Promise<IdentityRow[]> {
  return queryPrepared<IdentityRow>(db, LIST_IDENTITIES, [userId]);
}

/** Unlinks all external accounts of a user, and returns them. */
export function deleteIdentities(trx: Knex, userId: string): Promise<IdentityRow[]> {
  return trx('identities').where({ user_id: userId }).delete().returning<IdentityRow[]>('*');
}

/** Second factors that a user can sign in with; none if there is no enabled secret. */
export async function listSecondFactors(db: Knex, userId: string): Promise<SecondFactorProof[]> {
  const totp = await findTotp(db, userId);
  if (totp === null || totp.enabled_at === null) return [];
  return (await countRecoveryCodes(db, userId)) > 0 ? ['totp', 'recovery_code'] : ['totp'];
}

/** Removes the authenticator app, recovery codes and passkeys of a user. */
export async function deleteFactors(trx: Knex, userId: string): Promise<void> {
  await trx('totp_secrets').where({ user_id: userId }).delete();
  await trx('recovery_codes').where({ user_id: userId }).delete();
  await trx('passkeys').where({ user_id: userId }).delete();
}
