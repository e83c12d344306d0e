import type { Knex } from 'knex';
import type { BuiltIndex } from './migrations/index.js';

/**
 * Builds an index while others write to its table. One that an earlier attempt left unfinished is built again. Waits for
 * the transactions of the table that run.
 */
export async function buildIndex(db: Knex, index: BuiltIndex): Promise<void> {
  const connection = await db.client.acquireConnection();
  const run = (sql: string) => db.raw(sql).connection(connection);
  const { rows: limits } = await run('SHOW statement_timeout');
  try {
    await run('SET statement_timeout = 0');
    const { rows } = await run(
      `SELECT i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE c.relname = '${index.name}' AND c.relnamespace = current_schema()::regnamespace`,
    );
    if (rows[0]?.indisvalid === true) return;
    if (rows.length > 0) await run(`DROP INDEX CONCURRENTLY ${index.name}`);
    await run(statementOf(index, 'CONCURRENTLY'));
  } finally {
    await run(`SET statement_timeout = '${limits[0].statement_timeout}'`).catch(() => {});
    await db.client.releaseConnection(connection);
  }
}

/** Builds an index of a table that has no rows yet, inside of a transaction. */
export async function buildIndexOfEmpty(trx: Knex.Transaction, index: BuiltIndex): Promise<void> {
  await trx.raw(statementOf(index, ''));
}

function statementOf({ name, on, isUnique }: BuiltIndex, way: 'CONCURRENTLY' | ''): string {
  return `CREATE ${isUnique === true ? 'UNIQUE ' : ''}INDEX ${way} ${name} ON ${on}`;
}
