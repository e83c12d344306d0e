import type { BuiltIndex } from './migrations/index.js';

/** Runs one statement outside of a transaction, always on the same connection. */
export type RunStatement = (sql: string) => Promise<{ rows: Record<string, unknown>[] }>;

/** Builds an index of a table that has no partitions. */
export async function buildOnTable(run: RunStatement, index: BuiltIndex): Promise<void> {
  const isValid = await findValidity(run, index.name);
  if (isValid === true) return;
  if (isValid === false) await run(`DROP INDEX CONCURRENTLY ${index.name}`);
  await run(statementOf(index, 'CONCURRENTLY'));
}

/** True if the index is complete, false if it was left unfinished; null if there is none. */
export async function findValidity(run: RunStatement, name: string): Promise<boolean | null> {
  const { rows } = await run(
    `SELECT i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE c.relname = '${name}' AND c.relnamespace = current_schema()::regnamespace`,
  );
  return rows[0] === undefined ? null : rows[0]['indisvalid'] === true;
}

/** Statement that builds an index. */
export function statementOf({ name, on, isUnique }: BuiltIndex, way: 'CONCURRENTLY' | ''): string {
  return `CREATE ${isUnique === true ? 'UNIQUE ' : ''}INDEX ${way} ${name} ON ${on}`;
}
