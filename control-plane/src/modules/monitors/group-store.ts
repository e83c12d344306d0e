import type { Knex } from 'knex';
import type { Owner } from './store.js';

/** A group as it is stored. */
export interface GroupRow {
  readonly id: string;
  readonly user_id: string;
  readonly is_test: boolean;
  readonly name: string;
  readonly sort_order: number;
  readonly created_at: Date;
}

const ownedBy = ({ isTest }: Owner) => (isTest ? 'user_id = :userId AND is_test' : 'user_id = :userId');

/** How many groups an account has; holds off others who make something of it. */
export async function countGroups(trx: Knex, userId: string): Promise<number> {
  await trx.raw('SELECT FROM users WHERE id = ? FOR NO KEY UPDATE', [userId]);
  const { rows } = await trx.raw<{ rows: { count: number }[] }>(
    'SELECT count(*)::int AS count FROM monitor_groups WHERE user_id = ?',
    [userId],
  );
  return rows[0]?.count ?? 0;
}

/** Stores a new group. */
export async function insertGroup(trx: Knex, group: GroupRow): Promise<void> {
  const { id, user_id, is_test, name, sort_order, created_at } = group;
  await trx('monitor_groups').insert({ id, user_id, is_test, name, sort_order, created_at });
}

/** Changes a group of an owner, and nothing of it that is undefined; null: there is none. */
export async function updateGroup(
  trx: Knex,
  id: string,
  owner: Owner,
  { name, sortOrder }: { readonly name: string | undefined; readonly sortOrder: number | undefined },
): Promise<GroupRow | null> {
  const { rows } = await trx.raw<{ rows: GroupRow[] }>(
    `UPDATE monitor_groups SET name = coalesce(:name, name), sort_order = coalesce(:sortOrder, sort_order)
     WHERE id = :id AND ${ownedBy(owner)} RETURNING *`,
    { id, userId: owner.userId, name: name ?? null, sortOrder: sortOrder ?? null },
  );
  return rows[0] ?? null;
}

/** A group of an owner, or null. */
export async function findGroup(db: Knex, id: string, owner: Owner): Promise<GroupRow | null> {
  const { rows } = await db.raw<{ rows: GroupRow[] }>(
    `SELECT * FROM monitor_groups WHERE id = :id AND ${ownedBy(owner)}`,
    { id, userId: owner.userId },
  );
  return rows[0] ?? null;
}

/** The oldest group of an owner with this name; null: there is none. It stays until the transaction ends. */
export async function findGroupByName(trx: Knex, name: string, { userId, isTest }: Owner): Promise<string | null> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM monitor_groups WHERE user_id = :userId AND name = :name AND is_test = :isTest
     ORDER BY id LIMIT 1 FOR KEY SHARE`,
    { userId, name, isTest },
  );
  return rows[0]?.id ?? null;
}

/** Takes all monitors out of a group. @returns their ids */
export async function emptyGroup(trx: Knex, id: string): Promise<string[]> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    'UPDATE monitors SET group_id = NULL WHERE group_id = ? RETURNING id',
    [id],
  );
  return rows.map((row) => row.id);
}

/** Deletes a group; false: it is gone already. */
export async function deleteGroup(trx: Knex, id: string): Promise<boolean> {
  return (await trx('monitor_groups').where({ id }).delete()) > 0;
}

/** A page of an owner's groups in their order, and how many there are. */
export async function listGroups(
  db: Knex,
  owner: Owner,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ rows: GroupRow[]; total: number }> {
  const { rows } = await db.raw<{ rows: GroupRow[] }>(
    `SELECT * FROM monitor_groups WHERE ${ownedBy(owner)} ORDER BY sort_order, id LIMIT :limit OFFSET :offset`,
    { userId: owner.userId, limit, offset },
  );
  const { rows: counts } = await db.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM monitor_groups WHERE ${ownedBy(owner)}`,
    { userId: owner.userId },
  );
  return { rows, total: counts[0]?.total ?? 0 };
}
