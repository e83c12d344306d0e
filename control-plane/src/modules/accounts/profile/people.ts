import type { Knex } from 'knex';

/** How a user is named to others. */
export interface Person {
  /** Null: the user has given none. */
  readonly displayName: string | null;
  /** Null: the account was deleted. */
  readonly email: string | null;
}

/** Users by id; those that do not exist are missing. */
export async function readPeople(db: Knex, ids: readonly string[]): Promise<ReadonlyMap<string, Person>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: { id: string; display_name: string | null; email: string | null }[] }>(
    'SELECT id, display_name, email FROM users WHERE id = ANY(?)',
    [[...ids]],
  );
  return new Map(rows.map(({ id, display_name: displayName, email }) => [id, { displayName, email }]));
}
