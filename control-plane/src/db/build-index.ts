import type { Knex } from 'knex';
import { buildOnPartitions } from './build-partitioned-index.js';
import { buildOnTable, statementOf } from './build-table-index.js';
import type { BuiltIndex } from './migrations/index.js';

/**
 * Builds an index while others write to its table. One that an earlier attempt left unfinished is built again. Waits for
 * the transactions of the table that run.
 */
export async function buildIndex(db: Knex, index: BuiltIndex): Promise<void> {
  const connection = await db.client.acquireConnection();
  const run = async (sql: string) => await db.raw(sql).connection(connection);
  const { rows: limits } = await run('SHOW statement_timeout');
  try {
    await run('SET statement_timeout = 0');
    const [, table = '', columns = ''] = /^"?(\w+)"?\s*([^]*)$/.exec(index.on) ?? [];
    const { rows } = await run(`SELECT relkind FROM pg_class WHERE oid = '${table}'::regclass`);
    if (rows[0]?.['relkind'] === 'p') await buildOnPartitions(run, { ...index, table, columns });
    else await buildOnTable(run, index);
  } finally {
    await run(`SET statement_timeout = '${limits[0]?.['statement_timeout']}'`).catch(() => {});
    await db.client.releaseConnection(connection);
  }
}

/** Builds an index of a table that has no rows yet, inside of a transaction. */
export async function buildIndexOfEmpty(trx: Knex.Transaction, index: BuiltIndex): Promise<void> {
  await trx.raw(statementOf(index, ''));
}
