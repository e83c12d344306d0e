import type { Client } from 'pg';

/** Stores `count` more sessions and API keys, spread over as many users; none of them opens anything. */
export async function fillWithCredentials(database: Client, count: number): Promise<void> {
  const id = (prefix: string) => `'${prefix}' || lpad(i::text, 22, '0')`;
  await database.query(
    `INSERT INTO users (id, email, role, plan)
     SELECT ${id('u_')}, 'user' || i || '@example.com', 'user', 'free' FROM generate_series(1, $1::int) AS i`,
    [count],
  );
  await database.query(
    `INSERT INTO sessions (id, user_id, methods, address, created_at, last_used_at, expires_at)
     SELECT ${id('ses_')}, ${id('u_')}, '{password}', '192.0.2.1', now(), now(), now() + interval '30 days'
     FROM generate_series(1, $1::int) AS i`,
    [count],
  );
  await database.query(
    `INSERT INTO api_keys (id, token_id, secret_hash, user_id, name, type, scopes, created_at)
     SELECT ${id('key_')}, lpad(i::text, 12, '0'), sha256(i::text::bytea), ${id('u_')}, 'bench', 'production', '{read}', now()
     FROM generate_series(1, $1::int) AS i`,
    [count],
  );
  await database.query('ANALYZE');
}
