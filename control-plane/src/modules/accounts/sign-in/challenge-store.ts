import type { Knex } from 'knex';
import { advisoryLocks } from '../../../db/advisory-locks.js';

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

/** Finds the challenge with this public token id, and locks its user and then it until the transaction ends; null if there is none. */
export async function lockChallenge(trx: Knex.Transaction, tokenId: string): Promise<ChallengeRow | null> {
  const owner = trx('challenges').where({ token_id: tokenId }).select('user_id');
  await trx('users').whereIn('id', owner).forUpdate().select('id');
  const row = await trx('challenges').where({ token_id: tokenId }).forUpdate().first<ChallengeRow | undefined>();
  return row ?? null;
}

/** Finds the newest challenge of one kind of a user, used or not; null if there is none. */
export async function findNewestChallenge(db: Knex, userId: string, kind: string): Promise<ChallengeRow | null> {
  const rows = db('challenges').where({ user_id: userId, kind }).orderBy('id', 'desc');
  return (await rows.first<ChallengeRow | undefined>()) ?? null;
}

/** Uses up a challenge; false if it was used before. */
export async function consumeChallenge(trx: Knex, id: string, at: Date): Promise<boolean> {
  return (await trx('challenges').where({ id, consumed_at: null }).update({ consumed_at: at })) === 1;
}

/** Counts one more answer to a challenge, and returns their number. */
export async function countAnswer(trx: Knex, id: string): Promise<number> {
  const { rows } = await trx.raw<{ rows: { answers: number }[] }>(
    `UPDATE challenges SET data = jsonb_set(data, '{answers}', to_jsonb(coalesce((data->>'answers')::int, 0) + 1))
     WHERE id = ? RETURNING (data->>'answers')::int AS answers`,
    [id],
  );
  return rows[0]?.answers ?? 0;
}

/** Adds facts to a challenge, and its user if `userId` is not null. */
export async function noteFacts(trx: Knex, id: string, facts: object, userId: string | null): Promise<void> {
  await trx.raw('UPDATE challenges SET data = data || ?::jsonb, user_id = coalesce(?, user_id) WHERE id = ?', [
    JSON.stringify(facts),
    userId,
    id,
  ]);
}

/** Uses up all open challenges of one kind of a user. */
export async function consumeChallenges(trx: Knex, userId: string, kind: string, at: Date): Promise<void> {
  await trx('challenges').where({ user_id: userId, kind, consumed_at: null }).update({ consumed_at: at });
}

/** Counts challenges of these kinds mailed to an address since an instant; further counts wait for the transaction to end. */
export async function countMailed(
  trx: Knex,
  recipientHash: Buffer,
  kinds: readonly string[],
  since: Date,
): Promise<number> {
  await trx.raw('SELECT pg_advisory_xact_lock(?, ?)', [advisoryLocks.challenges, recipientHash.readInt32BE(0)]);
  const rows = await trx('challenges')
    .where({ recipient_hash: recipientHash })
    .whereIn('kind', [...kinds])
    .where('created_at', '>', since)
    .count<{ count: number }[]>('* as count');
  return rows[0]?.count ?? 0;
}

/** Deletes challenges that expired before an instant. */
export async function deleteExpiredChallenges(db: Knex, before: Date): Promise<void> {
  await db('challenges').where('expires_at', '<', before).delete();
}
