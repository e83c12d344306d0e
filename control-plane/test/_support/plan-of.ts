import type { Knex } from 'knex';

/**
 * Plan of the database for the first query of `ask`, for any parameters: connections of the product ask for such plans, in which a
 * parameter chooses no partial index.
 */
export async function planOf(db: Knex, ask: () => Promise<unknown>): Promise<string> {
  const asked: string[] = [];
  db.on('query', ({ sql }) => asked.push(sql));
  await ask();
  db.removeAllListeners('query');
  const [first = ''] = asked;
  const { rows } = await db.raw(`EXPLAIN (GENERIC_PLAN) ${first.replaceAll('?', '\\?')}`);
  return rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n');
}
