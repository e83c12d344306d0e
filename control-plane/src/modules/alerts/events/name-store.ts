import type { Knex } from 'knex';

/** Names of groups of monitors by id, of any owner; those that no longer exist are missing. */
export async function readGroupNames(db: Knex, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: { id: string; name: string }[] }>(
    'SELECT id, name FROM monitor_groups WHERE id = ANY(?)',
    [[...ids]],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
