import type { Knex } from 'knex';
import type { Owner } from '../../../owners/index.js';

/** Oldest group of an owner with a name, or null. It cannot be deleted until the transaction ends. */
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
