import type { Knex } from 'knex';
import { queryPrepared } from '../../../db/prepared.js';

/** Names of groups of monitors by id, of any owner; those that no longer exist are missing. */
export async function readGroupNames(db: Knex, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await queryPrepared<{ id: string; name: string }>(db, GROUP_NAMES, [[...ids]]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

const GROUP_NAMES = {
  name: 'alerts-group-names',
  text: 'SELECT id, name FROM monitor_groups WHERE id = ANY($1)',
};
