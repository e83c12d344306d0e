import type { Knex } from 'knex';
import { followStatements } from './asked-statements.js';

/**
 * Plan of the database for the first query of `ask`, for any parameters: connections of the product ask for such plans, in which a
 * parameter chooses no partial index.
 */
export async function planOf(db: Knex, ask: () => Promise<unknown>): Promise<string> {
  await db.raw('SELECT 1');
  const asked: string[] = [];
  const stop = followStatements(({ text }) => asked.push(text));
  await ask().finally(stop);
  const [first = ''] = asked;
  const { rows } = await db.raw(`EXPLAIN (GENERIC_PLAN) ${first.replaceAll('?', '\\?')}`);
  return rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n');
}
