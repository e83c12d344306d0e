import type { Knex } from 'knex';

export interface SigningKeyRow {
  readonly kid: string;
  readonly public_key: Buffer;
  readonly sealed_private_key: Buffer;
  readonly created_at: Date;
  readonly retired_at: Date | null;
}

/** Lists all keys, newest first. */
export async function listSigningKeys(db: Knex): Promise<SigningKeyRow[]> {
  return db('signing_keys')
    .select<SigningKeyRow[]>('*')
    .orderBy([{ column: 'created_at', order: 'desc' }, 'kid']);
}

export async function insertSigningKey(db: Knex, row: SigningKeyRow): Promise<void> {
  await db('signing_keys').insert(row);
}

/** Retires every key that is not retired. */
export async function retireSigningKeys(db: Knex, at: Date): Promise<void> {
  await db('signing_keys').whereNull('retired_at').update({ retired_at: at });
}

/** Deletes keys that were retired at an instant or before. */
export async function deleteRetiredSigningKeys(db: Knex, retiredBefore: Date): Promise<void> {
  await db('signing_keys').where('retired_at', '<=', retiredBefore).delete();
}
