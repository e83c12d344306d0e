import type { Client } from 'pg';

/** Stores `count` more sessions and API keys, spread over as many users; none of them opens anything. */
export async function fillWithCredentials(database: Client, count: number): Promise<void> {
  const id = (prefix: string) => `'${prefix}' || lpad(i::text, 22, '0')`;
  await database.query(
    `WITH owner AS (
       INSERT INTO owners (id, kind, plan) SELECT ${id('u_')}, 'user', 'free' FROM generate_series(1, $1::int) AS i
     )
     INSERT INTO users (id, email, role)
     SELECT ${id('u_')}, 'user' || i || '@example.com', 'user' FROM generate_series(1, $1::int) AS i`,
    [count],
  );
  await database.query(
    `INSERT INTO sessions (id, user_id, methods, address, created_at, last_used_at, expires_at)
     SELECT ${id('ses_')}, ${id('u_')}, '{password}', '192.0.2.1', now(), now(), now() + interval '30 days'
     FROM generate_series(1, $1::int) AS i`,
    [count],
  );
  await database.query(
    `INSERT INTO api_keys (id, token_id, secret_hash, owner_id, created_by, name, type, scopes, created_at)
     SELECT ${id('key_')}, lpad(i::text, 12, '0'), sha256(i::text::bytea), ${id('u_')}, ${id('u_')}, 'bench', 'production', '{read}', now()
     FROM generate_series(1, $1::int) AS i`,
    [count],
  );
  await database.query('ANALYZE');
}
