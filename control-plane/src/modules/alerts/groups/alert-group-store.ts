import type { Knex } from 'knex';
import { type CountedPage, type PageRange, queryNamed, queryPage } from '../../../db/named.js';
import { type Owner, ofOwner, ownedBy } from '../../../owners/index.js';
import type { AlertGroupFields, AlertGroupRow } from './alert-group-row.js';

const COLUMNS = `id, owner_id, created_by, is_test, name, group_by, group_value, wait_seconds, interval_seconds, created_at, updated_at`;

/** Number of groups of an owner. */
export async function countAlertGroups(trx: Knex, ownerId: string): Promise<number> {
  const { rows } = await trx.raw<{ rows: { count: number }[] }>(
    `SELECT count(*)::int AS count FROM alert_groups WHERE ${ofOwner()}`,
    { ownerId },
  );
  return rows[0]?.count ?? 0;
}

/** Stores a new group. */
export async function insertAlertGroup(
  trx: Knex,
  group: AlertGroupFields & Pick<AlertGroupRow, 'id' | 'owner_id' | 'created_by' | 'is_test'>,
  at: Date,
): Promise<AlertGroupRow> {
  const [row] = await trx('alert_groups')
    .insert({ ...group, created_at: at, updated_at: at })
    .returning('*');
  return row;
}

/** Changes a group. */
export async function updateAlertGroup(
  trx: Knex,
  id: string,
  group: AlertGroupFields,
  at: Date,
): Promise<AlertGroupRow> {
  const [row] = await trx('alert_groups')
    .where({ id })
    .update({ ...group, updated_at: at })
    .returning('*');
  return row;
}

/** Deletes a group. */
export async function deleteAlertGroup(trx: Knex, id: string): Promise<void> {
  await trx('alert_groups').where({ id }).delete();
}

/** Group of an owner; null: none. */
export async function findAlertGroup(db: Knex, id: string, owner: Owner): Promise<AlertGroupRow | null> {
  const sql = `SELECT ${COLUMNS} FROM alert_groups WHERE id = :id AND ${ownedBy(owner)}`;
  const [row] = await queryNamed<AlertGroupRow>(db, 'alert-group', sql, { id, ownerId: owner.id });
  return row ?? null;
}

/** Same as `findAlertGroup`, locked until the transaction ends. */
export async function lockAlertGroup(trx: Knex, id: string, owner: Owner): Promise<AlertGroupRow | null> {
  const { rows } = await trx.raw<{ rows: AlertGroupRow[] }>(
    `SELECT * FROM alert_groups WHERE id = :id AND ${ownedBy(owner)} FOR UPDATE`,
    { id, ownerId: owner.id },
  );
  return rows[0] ?? null;
}

/** Page of an owner's groups, newest first, and the number of all. */
export function listAlertGroups(db: Knex, owner: Owner, page: PageRange): Promise<CountedPage<AlertGroupRow>> {
  const [from, where] = ['alert_groups', ownedBy(owner)];
  const query = { name: 'alert-groups', columns: COLUMNS, from, where, orderBy: 'id DESC' };
  return queryPage<AlertGroupRow>(db, query, { ownerId: owner.id, ...page });
}

/** Groups of several owners, oldest first. */
export async function readAlertGroups(db: Knex, ownerIds: readonly string[]): Promise<AlertGroupRow[]> {
  const { rows } = await db.raw<{ rows: AlertGroupRow[] }>(
    'SELECT * FROM alert_groups WHERE owner_id = ANY(:ownerIds) ORDER BY created_at, id',
    { ownerIds: [...ownerIds] },
  );
  return rows;
}

/** Ids of the groups of an owner. */
export async function listAlertGroupsOf(trx: Knex, ownerId: string): Promise<string[]> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM alert_groups WHERE ${ofOwner()} ORDER BY id`,
    { ownerId },
  );
  return rows.map(({ id }) => id);
}

/** Deletes all groups of an owner. */
export async function deleteAlertGroupsOfOwner(trx: Knex, ownerId: string): Promise<void> {
  await trx('alert_groups').where({ owner_id: ownerId }).delete();
}
