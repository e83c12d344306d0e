import type { Knex } from 'knex';

/** Plan of the database for the first query of `ask`. */
export async function planOf(db: Knex, ask: () => Promise<unknown>): Promise<string> {
  const asked: { sql: string; bindings: readonly unknown[] }[] = [];
  db.on('query', (query) => asked.push(query));
  await ask();
  db.removeAllListeners('query');
  const [{ sql, bindings } = { sql: '', bindings: [] }] = asked;
  const literal = (value: unknown) => `'${value instanceof Date ? value.toISOString() : value}'`;
  const text = bindings.reduce<string>((left, value) => left.replace(/\$\d+/, literal(value)), sql);
  const { rows } = await db.raw(`EXPLAIN ${text.replaceAll('?', '\\?')}`);
  return rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n');
}
