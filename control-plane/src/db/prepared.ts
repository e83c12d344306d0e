import type { Knex } from 'knex';
import type { Client, QueryResultRow } from 'pg';

/** A statement parsed and planned once per connection: for the hot roads, where planning would cost more than running. */
export interface PreparedStatement {
  /** Unique among all prepared statements. */
  readonly name: string;
  /** SQL with $1, $2, …. */
  readonly text: string;
}

/** Runs a prepared statement on a pooled connection, or on the one of a transaction. */
export async function queryPrepared<R extends QueryResultRow>(
  db: Knex,
  statement: PreparedStatement,
  values: readonly unknown[],
): Promise<R[]> {
  const connection: Client = await db.client.acquireConnection();
  try {
    const { rows } = await connection.query<R>({ ...statement, values: [...values] });
    return rows;
  } finally {
    await db.client.releaseConnection(connection);
  }
}
