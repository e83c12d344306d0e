import type { Knex } from 'knex';
import { pino } from 'pino';
import t from 'tap';
import { openDatabase } from '../src/db/database.js';
import { migrate, NewerDatabaseError, pendingMigrations } from '../src/db/migrate.js';
import type { Migration } from '../src/db/migrations/index.js';
import { createTestDatabase } from './_support/database.js';

const log = pino({ level: 'silent' });

const first: Migration = {
  name: '0001-first',
  up: async (trx) => {
    await trx.raw('create table marks (name text)');
    await trx.raw("insert into marks values ('first')");
  },
};
const second: Migration = {
  name: '0002-second',
  up: async (trx) => void (await trx.raw("insert into marks values ('second')")),
};
const failing: Migration = {
  name: '0003-failing',
  up: async (trx) => {
    await trx.raw("insert into marks values ('half')");
    await trx.raw('select 1 / 0');
  },
};

async function marks(db: Knex): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>('select name from marks');
  return rows.map(({ name }) => name);
}

t.test('migrations apply once and in order, and later ones on top', async (t) => {
  const { db } = await createTestDatabase(t, { migrate: false });
  t.same(await pendingMigrations(db, [first]), ['0001-first']);
  t.same(await migrate(db, log, [first]), ['0001-first']);
  t.same(await migrate(db, log, [first, second]), ['0002-second']);
  t.same(await migrate(db, log, [first, second]), []);
  t.same(await pendingMigrations(db, [first, second]), []);
  t.same(await marks(db), ['first', 'second']);
});

t.test('four replicas that start together migrate once', async (t) => {
  const { url, db } = await createTestDatabase(t, { migrate: false });
  const replicas = [1, 2, 3, 4].map((n) => openDatabase({ url, poolSize: 2, applicationName: `replica ${n}` }));
  const applied = await Promise.all(replicas.map((replica) => migrate(replica, log, [first, second])));
  await Promise.all(replicas.map((replica) => replica.destroy()));
  t.same(applied.flat().sort(), ['0001-first', '0002-second']);
  t.same(await marks(db), ['first', 'second']);
});

t.test('a failing migration leaves nothing behind and holds nothing up', async (t) => {
  const { db } = await createTestDatabase(t, { migrate: false });
  await t.rejects(migrate(db, log, [first, second, failing]), /division by zero/);
  t.same(await marks(db), ['first', 'second']);
  t.same(await pendingMigrations(db, [first, second, failing]), ['0003-failing']);
  t.same(await migrate(db, log, [first, second]), []);
});

t.test('a database of a newer version is refused with the names of its migrations', async (t) => {
  const { db } = await createTestDatabase(t, { migrate: false });
  await migrate(db, log, [first, second]);
  await t.rejects(migrate(db, log, [first]), NewerDatabaseError);
  await t.rejects(pendingMigrations(db, [first]), { message: /"0002-second".*newer version/ });
});

t.test('a clone of the template is migrated', async (t) => {
  const { db } = await createTestDatabase(t);
  t.same(await pendingMigrations(db), []);
});
