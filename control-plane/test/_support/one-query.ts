import pg from 'pg';

/** Runs one statement on a connection of its own; resolves with the rows. */
export async function oneQuery(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // an administrator's shutdown after the response is not a failure of this statement
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
