import type { Knex } from 'knex';

/** A row that is being taken. */
export interface NewClaim {
  readonly keyHash: Buffer;
  readonly fingerprint: Buffer;
  /** Names the taker from now on. */
  readonly claim: Buffer;
  readonly now: Date;
  readonly lockedUntil: Date;
  /** Rows made at or before this are forgotten. */
  readonly forgottenAt: Date;
}

/** Which row, and that it is still the claimer's. */
export interface Claimed {
  readonly keyHash: Buffer;
  readonly claim: Buffer;
}

/**
 * Takes a row that is free.
 * @returns false if another request has it. One statement: of any number at once, one gets it.
 */
export async function insertClaim(db: Knex, claim: NewClaim): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `INSERT INTO idempotency_keys AS known (key_hash, fingerprint, claim, created_at, locked_until)
     VALUES (:keyHash, :fingerprint, :claim, :now, :lockedUntil)
     ON CONFLICT (key_hash) DO UPDATE SET fingerprint = excluded.fingerprint, claim = excluded.claim,
       sealed_response = NULL, created_at = excluded.created_at, locked_until = excluded.locked_until
     WHERE known.created_at <= :forgottenAt OR (known.sealed_response IS NULL AND known.locked_until <= :now)
     RETURNING 1`,
    { ...claim },
  );
  return rows.length > 0;
}

/** Stored request of a key; `sealed_response` is null while the request runs. */
export interface KnownRow {
  readonly fingerprint: Buffer;
  readonly sealed_response: Buffer | null;
}

export async function findKnown(db: Knex, keyHash: Buffer): Promise<KnownRow | null> {
  const row = await db('idempotency_keys')
    .where({ key_hash: keyHash })
    .first<KnownRow | undefined>('fingerprint', 'sealed_response');
  return row ?? null;
}

/** Keeps the response. False if the row is the claimer's no more. */
export async function updateResponse(db: Knex, { keyHash, claim }: Claimed, sealed: Buffer): Promise<boolean> {
  const rows = await db('idempotency_keys').where({ key_hash: keyHash, claim }).update({ sealed_response: sealed });
  return rows > 0;
}

/** Says that the request still runs. */
export async function updateLock(db: Knex, { keyHash, claim }: Claimed, lockedUntil: Date): Promise<void> {
  await db('idempotency_keys').where({ key_hash: keyHash, claim }).update({ locked_until: lockedUntil });
}

/** Gives the row back. */
export async function deleteClaim(db: Knex, { keyHash, claim }: Claimed): Promise<void> {
  await db('idempotency_keys').where({ key_hash: keyHash, claim, sealed_response: null }).delete();
}

/** Forgets rows made at or before an instant. */
export async function deleteForgotten(db: Knex, forgottenAt: Date): Promise<void> {
  await db('idempotency_keys').where('created_at', '<=', forgottenAt).delete();
}
