import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import t from 'tap';
import { openDatabase } from '../src/db/database.js';
import { dropPartitions, ensurePartitions, partitionedTables, partitionName } from '../src/db/partitions.js';
import { createTestDatabase } from './_support/database.js';

const hits = [{ name: 'hits', idPrefix: idPrefixes.probeTask, keepDays: 7 }] as const;
const dayMs = 86_400_000;
const noon = Date.UTC(2026, 9, 25, 12);

async function withHits(t: Parameters<typeof createTestDatabase>[0]): Promise<{ url: string; db: Knex }> {
  const database = await createTestDatabase(t, { migrate: false });
  await database.db.raw(
    `create table hits (id text collate "C" primary key, word text not null default 'x' check (word <> ''))
     partition by range (id)`,
  );
  await database.db.raw('create index on hits (word)');
  return database;
}

async function partitions(db: Knex): Promise<string[]> {
  const { rows } = await db.raw(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'hits'::regclass",
  );
  return rows.map(({ name }: { name: string }) => name).sort();
}

async function partitionOf(db: Knex, id: string): Promise<string> {
  const { rows } = await db.raw('insert into hits (id) values (?) returning tableoid::regclass::text as name', [id]);
  return rows[0].name;
}

t.test('partitions reach from yesterday to three days ahead, and repeating the request creates none', async (t) => {
  const { db } = await withHits(t);
  const expected = ['hits_p20261024', 'hits_p20261025', 'hits_p20261026', 'hits_p20261027', 'hits_p20261028'];
  t.same(await ensurePartitions(db, noon, hits), expected);
  t.same(await ensurePartitions(db, noon, hits), []);
  t.same(await partitions(db), expected);
  t.same(await ensurePartitions(db, noon + dayMs, hits), ['hits_p20261029']);
});

t.test(
  'an id is stored in the partition of its UTC day, to the millisecond, also on days when clocks change',
  async (t) => {
    const { db } = await withHits(t);
    await ensurePartitions(db, noon, hits);
    const midnight = Date.UTC(2026, 9, 26);
    const cases = [
      { instant: midnight - 1, partition: 'hits_p20261025' },
      { instant: midnight, partition: 'hits_p20261026' },
      { instant: midnight + dayMs - 1, partition: 'hits_p20261026' },
      { instant: midnight - dayMs, partition: 'hits_p20261025' },
    ];
    for (const { instant, partition } of cases) {
      for (let n = 0; n < 20; n++)
        t.equal(await partitionOf(db, newId('pt_', instant)), partition, new Date(instant).toISOString());
    }
  },
);

t.test('a partition has the constraints, defaults and indexes of its table', async (t) => {
  const { db } = await withHits(t);
  await ensurePartitions(db, noon, hits);
  const id = newId('pt_', noon);
  await db.raw('insert into hits (id) values (?)', [id]);
  await t.rejects(db.raw('insert into hits (id) values (?)', [id]), /duplicate key/);
  await t.rejects(db.raw("insert into hits (id, word) values (?, '')", [newId('pt_', noon)]), /check constraint/);
  const { rows } = await db.raw("select count(*) as n from pg_indexes where tablename = 'hits_p20261025'");
  t.equal(rows[0].n, 2);
});

t.test('four replicas that create partitions at once create each once and none fails', async (t) => {
  const { url, db } = await withHits(t);
  const replicas = [1, 2, 3, 4].map((n) => openDatabase({ url, poolSize: 2, applicationName: `replica ${n}` }));
  const made = await Promise.all(replicas.map((replica) => ensurePartitions(replica, noon, hits)));
  await Promise.all(replicas.map((replica) => replica.destroy()));
  t.same(made.flat().sort(), await partitions(db));
  t.equal(made.flat().length, 5);
});

t.test('partitions are created while other sessions read and write the table', async (t) => {
  const { db } = await withHits(t);
  await ensurePartitions(db, noon, hits);
  const trx = await db.transaction();
  await trx.raw('insert into hits (id) values (?)', [newId('pt_', noon)]);
  await trx.raw('select count(*) from hits');
  t.same(await ensurePartitions(db, noon + dayMs, hits), ['hits_p20261029']);
  await trx.commit();
});

t.test('a partition is dropped once its whole day is older than the retention, not before', async (t) => {
  const { db } = await withHits(t);
  await ensurePartitions(db, noon, hits);
  const dayIsOver = Date.UTC(2026, 9, 25);
  t.same(await dropPartitions(db, dayIsOver + 7 * dayMs - 1, hits), []);
  t.same(await dropPartitions(db, dayIsOver + 7 * dayMs, hits), ['hits_p20261024']);
  t.same(await dropPartitions(db, dayIsOver + 9 * dayMs, hits), ['hits_p20261025', 'hits_p20261026']);
  t.same(await partitions(db), ['hits_p20261027', 'hits_p20261028']);
});

t.test('a partition in use is left until the next time', async (t) => {
  const { db } = await withHits(t);
  await ensurePartitions(db, noon, hits);
  const reader = await db.transaction();
  await reader.raw('select * from hits_p20261024');
  t.same(await dropPartitions(db, noon + 7 * dayMs, hits), []);
  await reader.commit();
  t.same(await dropPartitions(db, noon + 7 * dayMs, hits), ['hits_p20261024']);
});

t.test('a table may have a partition per month or year, each dropped as a whole', async (t) => {
  const { db } = await createTestDatabase(t, { migrate: false });
  await db.raw('create table sums (at timestamptz not null) partition by range (at)');
  await db.raw('create table totals (at timestamptz not null) partition by range (at)');
  const sums = [{ name: 'sums', idPrefix: null, period: 'month', keepDays: 60, daysBack: 4 }] as const;
  const totals = [{ name: 'totals', idPrefix: null, period: 'year', keepDays: 400 }] as const;
  const newYear = Date.UTC(2027, 0, 2);
  t.same(await ensurePartitions(db, newYear, [...sums, ...totals]), ['sums_p202612', 'sums_p202701', 'totals_p2027']);
  t.same(await ensurePartitions(db, Date.UTC(2027, 0, 29), [...sums, ...totals]), ['sums_p202702']);
  for (const at of [Date.UTC(2026, 11, 1), Date.UTC(2027, 0, 1), Date.UTC(2027, 1, 1)]) {
    for (const instant of [at, at + 28 * dayMs - 1]) await db.raw('insert into sums values (?)', [new Date(instant)]);
  }
  t.same(await dropPartitions(db, Date.UTC(2027, 0, 1) + 60 * dayMs - 1, sums), []);
  t.same(await dropPartitions(db, Date.UTC(2027, 0, 1) + 60 * dayMs, sums), ['sums_p202612']);
  t.same(await dropPartitions(db, Date.UTC(2028, 0, 1) + 400 * dayMs, totals), ['totals_p2027']);
});

t.test('every table of the list is partitioned by its migration and has a partition for today', async (t) => {
  const { db } = await createTestDatabase(t);
  const today = Date.now();
  for (const table of partitionedTables) {
    const { rows } = await db.raw('select to_regclass(?) is not null as exists', [partitionName(table, today)]);
    t.equal(rows[0].exists, true, table.name);
  }
  const { rows } = await db.raw("select relname as name from pg_class where relkind = 'p' order by 1");
  t.same(
    rows.map(({ name }: { name: string }) => name),
    // which is partitioned by retention class, and each of these parts by day
    ['monitor_checks', ...partitionedTables.map(({ name }) => name)].sort(),
  );
});
