import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { advisoryLocks } from '../src/db/advisory-locks.js';
import { openDatabase } from '../src/db/database.js';
import { binOf, histogramBounds } from '../src/modules/monitors/history/histogram.js';
import { closableThrough, nextBuckets, rollupLevels } from '../src/modules/monitors/history/rollup-levels.js';
import {
  closeMinutes,
  insertBuckets,
  lockRollups,
  readProgress,
} from '../src/modules/monitors/history/rollup-store.js';
import { createTestDatabase } from './_support/database.js';
import { compare, equalAllChecks, HOUR_MS, MINUTE_MS, startRollups } from './_support/rollup-histories.js';
import { aCheck, insertMonitor, store } from './_support/stored-monitor.js';
import { insertNode } from './_support/stored-node.js';

t.test('roll-ups equal the aggregates of all checks, with any delay and in any order', (t) =>
  equalAllChecks(t, { seed: 1, partMs: 10 * HOUR_MS, count: 300 }),
);

t.test('a late check recomputes exactly its own buckets, and one in time none', async (t) => {
  const { db, clock, startMs, replica } = await startRollups(t);
  const node = await insertNode(db);
  const [one, other] = [await insertMonitor(db, [node]), await insertMonitor(db, [node])];
  const at = (minutes: number) => startMs + minutes * MINUTE_MS;
  for (const { id } of [one, other])
    await store(
      db,
      [3, 4, 40].map((minute) => aCheck(id, node, { slot_ms: at(minute) })),
    );
  t.strictSame(await db('rollup_dirty'), []);
  clock.advance(3 * HOUR_MS);
  await replica().run();
  const version = async (table: string) =>
    (await db.raw(`SELECT monitor_key, at, xmin::text FROM ${table} ORDER BY 1, 2`)).rows;
  const before: { xmin: string }[][] = [];
  for (const { table } of rollupLevels) before.push(await version(table));
  await store(db, [aCheck(one.id, node, { slot_ms: at(4) + 5_000, outcome: 'failed' })]);
  t.match(await db('rollup_dirty'), [{ level: '1m', monitor_key: one.key, at: new Date(at(4)) }]);
  await replica().run();
  const expected = [[at(4)], [at(0)], [at(0)], []];
  for (const [index, { table }] of rollupLevels.entries()) {
    const changed = (await version(table)).filter(
      (row: { xmin: string }) => !before[index]?.some(({ xmin }) => xmin === row.xmin),
    );
    t.match(
      changed,
      (expected[index] ?? []).map((ms) => ({ monitor_key: one.key, at: new Date(ms) })),
      table,
    );
    t.equal(changed.length, expected[index]?.length, table);
  }
});

t.test('a minute is not closed while a transaction stores checks of it, and then contains them', async (t) => {
  const { db, startMs, clock, replica } = await startRollups(t);
  const node = await insertNode(db);
  const { id } = await insertMonitor(db, [node]);
  clock.advance(10 * MINUTE_MS);
  const storing = await db.transaction();
  await store(storing, [aCheck(id, node, { slot_ms: startMs })]);
  t.equal(await closeMinutes(db, startMs + 5 * MINUTE_MS), false);
  await replica().run();
  t.equal((await readProgress(db)).closed, startMs);
  await storing.commit();
  t.strictSame(await db('rollup_dirty'), []);
  await replica().run();
  t.equal((await db('rollups_1m')).length, 1);
});

t.test(
  'a transaction that stores while minutes are closed records the checks that came too late for them',
  async (t) => {
    const { db, url, startMs } = await startRollups(t);
    const node = await insertNode(db);
    const { id } = await insertMonitor(db, [node]);
    const closing = await db.transaction();
    await closing.raw('SELECT pg_advisory_xact_lock(?)', [advisoryLocks.rollupsClosed]);
    await closing.raw("UPDATE rollup_progress SET through = ? WHERE level = 'closed'", [new Date(startMs + HOUR_MS)]);
    const second = openDatabase({ url, poolSize: 1, applicationName: 'a replica that stores' });
    t.teardown(() => second.destroy());
    const storing = store(second, [aCheck(id, node, { slot_ms: startMs })]);
    await until('the storing transaction to wait', async () => {
      const { rows } = await db.raw(`SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE l.locktype = 'advisory' AND NOT l.granted AND a.datname = current_database()`);
      return rows.length > 0;
    });
    await closing.commit();
    await storing;
    t.equal((await db('rollup_dirty')).length, 1);
  },
);

t.test('a replica that dies halfway leaves the rest to be done, and two at once do it once', async (t) => {
  const { db, clock, startMs, replica } = await startRollups(t);
  const node = await insertNode(db);
  const { id } = await insertMonitor(db, [node]);
  await store(db, [aCheck(id, node, { slot_ms: startMs }), aCheck(id, node, { slot_ms: startMs - 5 * MINUTE_MS })]);
  clock.advance(20 * MINUTE_MS);
  const [minutes] = rollupLevels;
  if (minutes === undefined) throw new Error('no levels');
  await closeMinutes(db, closableThrough(clock.now()));
  const dying = await db.transaction();
  t.equal(await lockRollups(dying), true);
  const buckets = nextBuckets(minutes, await readProgress(dying));
  if (buckets === null) throw new Error('no buckets to compute');
  await insertBuckets(dying, minutes, buckets);
  await replica().run();
  t.strictSame(await db('rollups_1m'), [], 'no other replica does the work of the first');
  await dying.rollback();
  await Promise.all([replica().run(), replica().run()]);
  await replica().run();
  t.equal(await compare(t, db, 'after all'), 2 + 4, 'yesterday has ended, too');
});

t.test('roll-ups are computed once a minute, while the process runs', async (t) => {
  const { db, clock, startMs, replica } = await startRollups(t);
  const node = await insertNode(db);
  const { id } = await insertMonitor(db, [node]);
  await store(db, [aCheck(id, node, { slot_ms: startMs })]);
  const rollups = replica();
  rollups.start();
  clock.advance(MINUTE_MS);
  await until('another poll to be due', () => clock.pendingTimers === 1);
  t.strictSame(await db('rollups_1m'), [], 'the first minute has only just ended');
  clock.advance(MINUTE_MS);
  await until('the minute', async () => (await db('rollups_1m')).length === 1);
  await rollups.stop();
  t.equal(clock.pendingTimers, 0);
});

t.test('PostgreSQL counts times in the bins from which they are read', async (t) => {
  const { db } = await createTestDatabase(t, { migrate: false });
  const times = histogramBounds.flatMap((bound) => [bound * 0.999, bound, bound * 1.001]).map(Math.fround);
  const { rows } = await db.raw(
    'SELECT width_bucket(ms::float8, ?::float8[]) AS bin FROM unnest(?::real[]) WITH ORDINALITY u(ms, n) ORDER BY n',
    [[...histogramBounds], times],
  );
  t.strictSame(
    rows.map(({ bin }: { bin: number }) => bin),
    times.map(binOf),
  );
});
