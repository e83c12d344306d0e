import type { Knex } from 'knex';

export interface ChallengeRow {
  readonly id: string;
  readonly kind: string;
  readonly token_id: string | null;
  readonly secret_hash: Buffer | null;
  readonly user_id: string | null;
  readonly data: Record<string, unknown>;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly consumed_at: Date | null;
}

export async function insertChallenge(trx: Knex, row: Omit<ChallengeRow, 'consumed_at'>): Promise<void> {
  await trx('challenges').insert({ ...row, data: JSON.stringify(row.data) });
}

/** The challenge with this public token id, locked until the transaction ends, or null. */
export async function lockChallenge(trx: Knex.Transaction, tokenId: string): Promise<ChallengeRow | null> {
  const row = await trx('challenges').where({ token_id: tokenId }).forUpdate().first<ChallengeRow | undefined>();
  return row ?? null;
}

export async function consumeChallenge(trx: Knex, id: string, at: Date): Promise<void> {
  await trx('challenges').where({ id }).update({ consumed_at: at });
}

/** Ends every open challenge of a user of one kind. */
export async function consumeChallenges(trx: Knex, userId: string, kind: string, at: Date): Promise<void> {
  await trx('challenges').where({ user_id: userId, kind, consumed_at: null }).update({ consumed_at: at });
}

/** How many challenges of one kind a user was sent since. */
export async function countChallenges(db: Knex, userId: string, kind: string, since: Date): Promise<number> {
  const row = await db('challenges')
    .where({ user_id: userId, kind })
    .where('created_at', '>', since)
    .count<{ count: number }[]>('* as count');
  return row[0]?.count ?? 0;
}

/** Deletes challenges that expired before. */
export async function deleteExpiredChallenges(db: Knex, before: Date): Promise<void> {
  await db('challenges').where('expires_at', '<', before).delete();
}
