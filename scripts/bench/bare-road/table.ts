import pg from 'pg';

/** The one narrow table, which rows are only inserted into. */
export const createTable = 'CREATE TABLE bare_road (id text NOT NULL, body text NOT NULL)';

/** Connects for a prepared statement that inserts rows of one batch in one transaction. */
export async function openInserts(url: string): Promise<(ids: string[], bodies: string[]) => Promise<unknown>> {
  const client = new pg.Client({ connectionString: url });
  // a lost connection shows as a failed statement; without a listener it would end the process without a message
  client.on('error', () => {});
  await client.connect();
  const insert = { name: 'insert', text: 'INSERT INTO bare_road SELECT * FROM unnest($1::text[], $2::text[])' };
  return (ids, bodies) => client.query({ ...insert, values: [ids, bodies] });
}
