import type { Knex } from 'knex';
import { type Owner, ofOwner, ownedBy } from '../../../owners/index.js';
import type { AlertGroupFields, AlertGroupRow } from './alert-group-row.js';

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
  const { rows } = await db.raw<{ rows: AlertGroupRow[] }>(
    `SELECT * FROM alert_groups WHERE id = :id AND ${ownedBy(owner)}`,
    { id, ownerId: owner.id },
  );
  return rows[0] ?? null;
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
export async function listAlertGroups(
  db: Knex,
  owner: Owner,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ rows: AlertGroupRow[]; total: number }> {
  const { rows } = await db.raw<{ rows: AlertGroupRow[] }>(
    `SELECT * FROM alert_groups WHERE ${ownedBy(owner)} ORDER BY id DESC LIMIT :limit OFFSET :offset`,
    { ownerId: owner.id, limit, offset },
  );
  const { rows: counts } = await db.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM alert_groups WHERE ${ownedBy(owner)}`,
    { ownerId: owner.id },
  );
  return { rows, total: counts[0]?.total ?? 0 };
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
