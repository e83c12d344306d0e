import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { until } from '@vantage/shared/_support/until.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { pino } from 'pino';
import t from 'tap';
import { openDatabase } from '../src/db/database.js';
import { migrate, NewerDatabaseError, readMigrationState } from '../src/db/migrate.js';
import * as webhookTests from '../src/db/migrations/0018-webhook-tests.js';
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

async function pendingMigrations(db: Knex, migrations?: readonly Migration[]): Promise<readonly string[]> {
  return (await readMigrationState(db, migrations)).pending;
}

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

t.test('a database that is ahead by migrations that only add is used, and the log says so', async (t) => {
  const { db } = await createTestDatabase(t, { migrate: false });
  await migrate(db, log, [first, second]);
  const warnings: object[] = [];
  const heard = { info: () => {}, warn: (fields: object) => void warnings.push(fields) };
  t.same(await migrate(db, heard, [first]), []);
  t.strictSame(warnings, [{ migrations: ['0002-second'] }]);
  t.same(await readMigrationState(db, [first]), { pending: [], ahead: ['0002-second'] });
});

t.test('a database from which something was taken away is refused by programs that do not know that', async (t) => {
  const { db } = await createTestDatabase(t, { migrate: false });
  const contract: Migration = { ...failing, name: '0003-contract', up: async () => {}, requires: '0002-second' };
  await migrate(db, log, [first, second, contract]);
  t.same(await readMigrationState(db, [first, second]), { pending: [], ahead: ['0003-contract'] });
  await t.rejects(migrate(db, log, [first]), NewerDatabaseError);
  await t.rejects(pendingMigrations(db, [first]), { message: /"0002-second".*newer version/ });
});

t.test('a database of another line of versions is refused', async (t) => {
  const { db } = await createTestDatabase(t, { migrate: false });
  await migrate(db, log, [first, second]);
  await t.rejects(migrate(db, log, [first, { ...second, name: '0002-other' }]), NewerDatabaseError);
});

t.test('a list of migrations from before their requirements is read and continued', async (t) => {
  const { db } = await createTestDatabase(t, { migrate: false });
  await migrate(db, log, [first]);
  await db.raw('alter table schema_migrations drop column requires');
  t.same(await pendingMigrations(db, [first, second]), ['0002-second']);
  t.same(await migrate(db, log, [first, second]), ['0002-second']);
});

t.test('a clone of the template is migrated', async (t) => {
  const { db } = await createTestDatabase(t);
  t.same(await pendingMigrations(db), []);
});

t.test('a stored test of a webhook endpoint keeps the id and the address of the endpoint, and no secret', async (t) => {
  const { db } = await createTestDatabase(t);
  const pack = (data: unknown) => deflateRawSync(JSON.stringify(data));
  const endpoint = { id: 'whe_1FZ3ybQXhhsV3cDKtVoMjX', url: 'https://hooks.example/' };
  const message = 'This is a test.';
  const row = (kind: string, data: unknown) => ({
    id: newId(idPrefixes.event),
    owner_id: 'u_1',
    kind,
    subject: endpoint.id,
    sequence: 0,
    is_test: true,
    at: new Date(),
    data: pack(data),
  });
  const whole = { endpoint: { ...endpoint, owner_id: 'u_1', sealed_secret: 'secret' }, message };
  const others = row('monitor.down', { monitor: { id: 'm_1' }, endpoint: whole.endpoint });
  // more than are read at once
  await db('webhook_events').insert([others, ...Array.from({ length: 501 }, () => row('webhook.test', whole))]);
  await db.transaction((trx) => webhookTests.up(trx));
  for (const { id, data } of await db('webhook_events').select('id', 'data')) {
    if (id === others.id) t.ok(others.data.equals(data), 'what is no test is left as it is');
    else if (!data.equals(pack({ endpoint, message }))) t.fail(inflateRawSync(data).toString());
  }
});

t.test(
  'indexes of a migration are built while rows are written, by one of several replicas, and again after a kill',
  async (t) => {
    const { url, db } = await createTestDatabase(t, { migrate: false });
    const built: Migration = { name: '0003-index', indexes: [{ name: 'marks_of_name', on: 'marks (name)' }] };
    await migrate(db, log, [first, second]);
    const state = async () =>
      (await db.raw("select indisvalid from pg_index where indexrelid = to_regclass('marks_of_name')")).rows;

    // a writer whose transaction is open when the index is begun
    const writer = await db.transaction();
    await writer.raw("insert into marks values ('open')");
    const killed = openDatabase({ url, poolSize: 2, applicationName: 'killed replica' });
    const attempt = migrate(killed, log, [first, second, built]);
    attempt.catch(() => {});
    await until('the index to be begun', async () => (await state()).length === 1);
    await db('marks').insert({ name: 'meanwhile' });
    await db.raw("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'killed replica'");
    await t.rejects(attempt);
    await killed.destroy();
    t.same(await state(), [{ indisvalid: false }], 'an unfinished index stays');
    t.same(await pendingMigrations(db, [first, second, built]), ['0003-index']);

    const replicas = [1, 2, 3].map((n) => openDatabase({ url, poolSize: 2, applicationName: `replica ${n}` }));
    const all = Promise.all(replicas.map((replica) => migrate(replica, log, [first, second, built])));
    await writer.commit();
    t.same((await all).flat(), ['0003-index']);
    await Promise.all(replicas.map((replica) => replica.destroy()));
    t.same(await state(), [{ indisvalid: true }]);
    t.same(await marks(db), ['first', 'second', 'open', 'meanwhile']);
  },
);
