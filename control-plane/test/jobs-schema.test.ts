import { runMigrations } from 'graphile-worker';
import type { Knex } from 'knex';
import { pino } from 'pino';
import t from 'tap';
import { openDatabase } from '../src/db/database.js';
import { installJobQueue, jobQueueSchema } from '../src/db/job-queue-schema.js';
import { migrate } from '../src/db/migrate.js';
import { openPlainPool } from '../src/db/plain-pool.js';
import { createTestDatabase } from './_support/database.js';

const log = pino({ level: 'silent' });

async function installed(db: Knex): Promise<number[]> {
  const { rows } = await db.raw<{ rows: { id: number }[] }>('SELECT id FROM vantage_jobs.migrations ORDER BY id');
  return rows.map(({ id }) => id);
}

t.test('replicas that start together install the queue once, and its library finds nothing left to do', async (t) => {
  const { url, db } = await createTestDatabase(t, { migrate: false });
  // two connections each: an index is built on another one than that which holds the lock
  const replicas = [1, 2, 3].map((n) => openDatabase({ url, poolSize: 2, applicationName: `replica ${n}` }));
  const applied = await Promise.all(replicas.map((replica) => migrate(replica, log)));
  await Promise.all(replicas.map((replica) => replica.destroy()));
  t.equal(applied.flat().filter((name) => name === '0001-baseline').length, 1);
  const before = await installed(db);
  const pool = openPlainPool({ url, poolSize: 1, applicationName: 'library' });
  await runMigrations({ pgPool: pool, schema: jobQueueSchema });
  await pool.end();
  t.strictSame(await installed(db), before, 'a new version of the library needs a new migration of ours');
});

t.test('an interrupted installation leaves nothing behind', async (t) => {
  const { db } = await createTestDatabase(t, { migrate: false });
  const interrupted = db.transaction(async (trx) => {
    await installJobQueue(trx);
    t.ok((await installed(trx)).length > 0);
    throw new Error('interrupted');
  });
  await t.rejects(interrupted, /interrupted/);
  const { rows } = await db.raw('SELECT FROM pg_namespace WHERE nspname = ?', [jobQueueSchema]);
  t.equal(rows.length, 0);
});
