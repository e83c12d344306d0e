import type { Knex } from 'knex';
import type { Owner } from '../store.js';

/** The oldest group of an owner with this name; null: there is none. It stays until the transaction ends. */
export async function findGroupByName(trx: Knex, name: string, { userId, isTest }: Owner): Promise<string | null> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM monitor_groups WHERE user_id = :userId AND name = :name AND is_test = :isTest
     ORDER BY id LIMIT 1 FOR KEY SHARE`,
    { userId, name, isTest },
  );
  return rows[0]?.id ?? null;
}

/** How many groups an account has. */
export async function countGroups(db: Knex, userId: string): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    'SELECT count(*)::int AS count FROM monitor_groups WHERE user_id = ?',
    [userId],
  );
  return rows[0]?.count ?? 0;
}

/** Stores a new group. */
export async function insertGroupNamed(
  trx: Knex,
  { id, name, owner }: { readonly id: string; readonly name: string; readonly owner: Owner },
): Promise<void> {
  await trx('monitor_groups').insert({ id, name, user_id: owner.userId, is_test: owner.isTest });
}
