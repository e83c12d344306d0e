// The least that sends stored messages: POST each with undici, then update its row. A process of its own.
//   node bare-sender.js URL CONNECTIONS MESSAGES    with the database in DATABASE_URL
import pg from 'pg';
import { Pool } from 'undici';

/** Connections to the database: as many as the control plane has for such work. */
const DATABASE_CONNECTIONS = 8;

const headers = { 'content-type': 'application/json' };

async function main([url = '', connections = '', messages = '']: readonly string[]): Promise<void> {
  const database = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: DATABASE_CONNECTIONS });
  await database.query('DROP TABLE IF EXISTS bench_messages');
  await database.query(
    'CREATE TABLE bench_messages (id int PRIMARY KEY, body text NOT NULL, status text NOT NULL, attempts jsonb)',
  );
  await database.query("INSERT INTO bench_messages SELECT n, $1, 'pending' FROM generate_series(1, $2::int) n", [
    JSON.stringify({ text: 'x'.repeat(600) }),
    Number(messages),
  ]);
  const { rows } = await database.query<{ id: number; body: string }>(
    'SELECT id, body FROM bench_messages ORDER BY id',
  );
  const pool = new Pool(url, { connections: Number(connections), pipelining: 1 });
  const attempts = JSON.stringify([{ at: new Date().toISOString(), duration_ms: 1, status_code: 200, error: null }]);
  const before = process.cpuUsage();
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: Number(connections) }, async () => {
      for (let row = rows.pop(); row !== undefined; row = rows.pop()) {
        const response = await pool.request({ method: 'POST', path: '/', headers, body: row.body });
        await response.body.text();
        await database.query({
          name: 'mark',
          text: "UPDATE bench_messages SET status = 'delivered', attempts = $2 WHERE id = $1",
          values: [row.id, attempts],
        });
      }
    }),
  );
  const perSecond = Number(messages) / ((performance.now() - startedMs) / 1_000);
  const { user, system } = process.cpuUsage(before);
  await database.query('DROP TABLE bench_messages');
  await database.end();
  await pool.close();
  process.send?.({ perSecond, cpuSeconds: (user + system) / 1e6 });
  process.disconnect?.();
}

void main(process.argv.slice(2));
