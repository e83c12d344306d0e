import type { Knex } from 'knex';
import { advisoryLocks } from '../../db/advisory-locks.js';

export interface ChallengeRow {
  readonly id: string;
  readonly kind: string;
  readonly token_id: string | null;
  readonly secret_hash: Buffer | null;
  readonly user_id: string | null;
  readonly recipient_hash: Buffer | null;
  readonly data: Record<string, unknown>;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly consumed_at: Date | null;
}

export async function insertChallenge(trx: Knex, row: Omit<ChallengeRow, 'consumed_at'>): Promise<void> {
  await trx('challenges').insert({ ...row, data: JSON.stringify(row.data) });
}

/** The challenge with this public token id, its user locked before it until the transaction ends, or null. */
export async function lockChallenge(trx: Knex.Transaction, tokenId: string): Promise<ChallengeRow | null> {
  const owner = trx('challenges').where({ token_id: tokenId }).select('user_id');
  await trx('users').whereIn('id', owner).forUpdate().select('id');
  const row = await trx('challenges').where({ token_id: tokenId }).forUpdate().first<ChallengeRow | undefined>();
  return row ?? null;
}

/** Ends every open challenge of a user of one kind. */
export async function consumeChallenges(trx: Knex, userId: string, kind: string, at: Date): Promise<void> {
  await trx('challenges').where({ user_id: userId, kind, consumed_at: null }).update({ consumed_at: at });
}

/** How many challenges were mailed to an address since; whoever asks next waits until this transaction ends. */
export async function countMailed(trx: Knex, recipientHash: Buffer, since: Date): Promise<number> {
  await trx.raw('SELECT pg_advisory_xact_lock(?, ?)', [advisoryLocks.challenges, recipientHash.readInt32BE(0)]);
  const rows = await trx('challenges')
    .where({ recipient_hash: recipientHash })
    .where('created_at', '>', since)
    .count<{ count: number }[]>('* as count');
  return rows[0]?.count ?? 0;
}

/** Deletes challenges that expired before. */
export async function deleteExpiredChallenges(db: Knex, before: Date): Promise<void> {
  await db('challenges').where('expires_at', '<', before).delete();
}
