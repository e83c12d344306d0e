import type { Knex } from 'knex';
import { type CountedPage, type PageRange, queryNamed, queryPage } from '../../../db/named.js';
import { type Owner, ownedBy } from '../../../owners/index.js';

/** Stored group. */
export interface GroupRow {
  readonly id: string;
  readonly owner_id: string;
  readonly created_by: string;
  readonly is_test: boolean;
  readonly name: string;
  readonly sort_order: number;
  readonly created_at: Date;
}

const COLUMNS = 'id, owner_id, created_by, is_test, name, sort_order, created_at';

/** Number of groups of an owner. */
export async function countGroups(trx: Knex, ownerId: string): Promise<number> {
  const { rows } = await trx.raw<{ rows: { count: number }[] }>(
    'SELECT count(*)::int AS count FROM monitor_groups WHERE owner_id = ?',
    [ownerId],
  );
  return rows[0]?.count ?? 0;
}

/** Stores a new group. */
export async function insertGroup(trx: Knex, group: GroupRow): Promise<void> {
  const { id, owner_id, created_by, is_test, name, sort_order, created_at } = group;
  await trx('monitor_groups').insert({ id, owner_id, created_by, is_test, name, sort_order, created_at });
}

/** Changes the defined fields of a group of an owner; null: no such group. */
export async function updateGroup(
  trx: Knex,
  id: string,
  owner: Owner,
  { name, sortOrder }: { readonly name: string | undefined; readonly sortOrder: number | undefined },
): Promise<GroupRow | null> {
  const { rows } = await trx.raw<{ rows: GroupRow[] }>(
    `UPDATE monitor_groups SET name = coalesce(:name, name), sort_order = coalesce(:sortOrder, sort_order)
     WHERE id = :id AND ${ownedBy(owner)} RETURNING *`,
    { id, ownerId: owner.id, name: name ?? null, sortOrder: sortOrder ?? null },
  );
  return rows[0] ?? null;
}

/** Group of an owner; null: no such group. */
export async function findGroup(db: Knex, id: string, owner: Owner): Promise<GroupRow | null> {
  const sql = `SELECT ${COLUMNS} FROM monitor_groups WHERE id = :id AND ${ownedBy(owner)}`;
  const [row] = await queryNamed<GroupRow>(db, 'monitor-group', sql, { id, ownerId: owner.id });
  return row ?? null;
}

/** Oldest group of an owner with a name; null: none. It cannot be deleted until the transaction ends. */
export async function findGroupByName(trx: Knex, name: string, { id: ownerId, isTest }: Owner): Promise<string | null> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM monitor_groups WHERE owner_id = :ownerId AND name = :name AND is_test = :isTest
     ORDER BY id LIMIT 1 FOR KEY SHARE`,
    { ownerId, name, isTest },
  );
  return rows[0]?.id ?? null;
}

/** Removes all monitors from a group. @returns their ids */
export async function emptyGroup(trx: Knex, id: string): Promise<string[]> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    'UPDATE monitors SET group_id = NULL WHERE group_id = ? RETURNING id',
    [id],
  );
  return rows.map((row) => row.id);
}

/** Deletes a group; false: it did not exist. */
export async function deleteGroup(trx: Knex, id: string): Promise<boolean> {
  return (await trx('monitor_groups').where({ id }).delete()) > 0;
}

/** Page of an owner's groups in their order, and the number of all. */
export function listGroups(db: Knex, owner: Owner, page: PageRange): Promise<CountedPage<GroupRow>> {
  const [from, where] = ['monitor_groups', ownedBy(owner)];
  const query = { name: 'monitor-groups', columns: COLUMNS, from, where, orderBy: 'sort_order, id' };
  return queryPage<GroupRow>(db, query, { ownerId: owner.id, ...page });
}
