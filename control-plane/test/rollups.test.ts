import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import type { CheckReport } from '@vantage/shared/monitor-state/check-report.js';
import type { Knex } from 'knex';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { advisoryLocks } from '../src/db/advisory-locks.js';
import { openDatabase } from '../src/db/database.js';
import { ensurePartitions } from '../src/db/partitions.js';
import type { Delivered } from '../src/modules/monitors/checks/check-store.js';
import { BIN_UNIT, binOf, histogramBounds } from '../src/modules/monitors/history/histogram.js';
import { closableThrough, nextBuckets, rollupLevels } from '../src/modules/monitors/history/rollup-levels.js';
import {
  closeMinutes,
  insertBuckets,
  lockRollups,
  readProgress,
} from '../src/modules/monitors/history/rollup-store.js';
import { Rollups } from '../src/modules/monitors/history/rollups.js';
import { createTestDatabase } from './_support/database.js';
import { seededRandom } from './_support/seeded-random.js';
import { aCheck, insertMonitor, store } from './_support/stored-monitor.js';
import { insertNode } from './_support/stored-node.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const log = pino({ level: 'silent' });

/** A database in which exactly everything before today is rolled up. */
async function setUp(t: Test) {
  const { db, url } = await createTestDatabase(t);
  const startMs = (await readProgress(db)).closed;
  await ensurePartitions(db, startMs);
  const clock = new FakeClock(startMs);
  const replica = () => new Rollups({ db, clock, log });
  return { db, url, clock, startMs, replica };
}

/** Columns of a roll-up that are compared. */
interface Sums {
  ok: number;
  degraded: number;
  failed: number;
  answered: number;
  sum_us: number;
  min_ms: number | null;
  max_ms: number | null;
  histogram: number[] | null;
}

/** Roll-ups of all checks, computed the simple way: by `monitor key, node key, begin`. */
async function naive(db: Knex, stepMs: number, throughMs: number): Promise<Record<string, Sums>> {
  const checks = await db('monitor_checks').select('at', 'monitor_key', 'node_key', 'outcome', 'response_ms');
  const groups: Record<string, { outcomes: number[]; times: number[] }> = {};
  for (const { at, monitor_key, node_key, outcome, response_ms } of checks) {
    const beginMs = Math.floor(at.getTime() / stepMs) * stepMs;
    if (beginMs + stepMs > throughMs) continue;
    const group = (groups[`${monitor_key} ${node_key} ${beginMs}`] ??= { outcomes: [], times: [] });
    group.outcomes.push(outcome);
    if (response_ms !== null) group.times.push(response_ms);
  }
  return Object.fromEntries(Object.entries(groups).map(([key, group]) => [key, sumsOf(group)]));
}

function sumsOf({ outcomes, times }: { outcomes: number[]; times: number[] }): Sums {
  const bins = new Map<number, number>();
  for (const ms of times) bins.set(binOf(ms), (bins.get(binOf(ms)) ?? 0) + 1);
  const entries = [...bins].sort(([a], [b]) => a - b).map(([bin, count]) => bin * BIN_UNIT + count);
  return {
    ok: outcomes.filter((code) => code === 0).length,
    degraded: outcomes.filter((code) => code === 1).length,
    failed: outcomes.filter((code) => code === 2).length,
    answered: times.length,
    sum_us: times.reduce((sum, ms) => sum + Math.round(ms * 1_000), 0),
    min_ms: times.length === 0 ? null : Math.min(...times),
    max_ms: times.length === 0 ? null : Math.max(...times),
    histogram: entries.length > 1 ? entries : null,
  };
}

async function stored(db: Knex, table: string): Promise<Record<string, Sums>> {
  const rows = await db(table).select();
  return Object.fromEntries(
    rows.map(({ monitor_key, node_key, at, ...sums }) => [`${monitor_key} ${node_key} ${at.getTime()}`, sums]),
  );
}

/** Checks that every table equals the aggregates of all checks. @returns the number of buckets */
async function compare(t: Test, db: Knex, what: string): Promise<number> {
  const progress = await readProgress(db);
  let buckets = 0;
  for (const { step, stepMs, table } of rollupLevels) {
    const expected = await naive(db, stepMs, progress[step]);
    t.strictSame(await stored(db, table), expected, `${what}: ${table}`);
    buckets += Object.keys(expected).length;
  }
  return buckets;
}

/** Times from below the first bound to above the last, in eighths of a millisecond: so that real and sums are exact. */
function aTime(random: () => number): number {
  return Math.max(0.125, Math.round(8 * 0.05 * 2_000_000 ** random()) / 8);
}

function randomChecks(
  random: () => number,
  pairs: readonly { monitorId: string; nodeId: string }[],
  { fromMs, toMs, count }: { fromMs: number; toMs: number; count: number },
): { arrivesMs: number; check: Delivered<CheckReport> }[] {
  return Array.from({ length: count }, () => {
    const pair = pairs[Math.floor(random() * pairs.length)] ?? { monitorId: '', nodeId: '' };
    // most of them close together, so that buckets have several
    const near = random() < 0.5 ? fromMs + Math.floor(random() * 4) * 9 * HOUR_MS : fromMs;
    const slot_ms = Math.floor(near + random() * (near === fromMs ? toMs - fromMs : 20 * MINUTE_MS));
    const outcome = (['ok', 'ok', 'degraded', 'failed'] as const)[Math.floor(random() * 4)] ?? 'ok';
    const response_ms = outcome === 'failed' && random() < 0.7 ? null : aTime(random);
    const delayMs = random() < 0.6 ? random() * 30_000 : random() * 40 * HOUR_MS;
    return {
      arrivesMs: slot_ms + delayMs,
      check: aCheck(pair.monitorId, pair.nodeId, { slot_ms, outcome, response_ms }),
    };
  });
}

for (const seed of [1, 2]) {
  t.test(`roll-ups equal the aggregates of all checks, with any delay and in any order (seed ${seed})`, async (t) => {
    const { db, clock, startMs, replica } = await setUp(t);
    const random = seededRandom(seed);
    const nodes = [await insertNode(db), await insertNode(db)];
    const monitors = [await insertMonitor(db, nodes), await insertMonitor(db, nodes), await insertMonitor(db, nodes)];
    const pairs = monitors.flatMap(({ id }) => nodes.map((nodeId) => ({ monitorId: id, nodeId })));
    const waiting = randomChecks(random, pairs, {
      fromMs: startMs - 2 * DAY_MS,
      toMs: startMs + DAY_MS,
      count: 1_500,
    });
    const endMs = startMs + 3 * DAY_MS;
    const replicas = [replica(), replica()];
    while (clock.now() < endMs) {
      clock.advance(Math.round(random() * 5 * HOUR_MS));
      const arrived = waiting.filter(({ arrivesMs }) => arrivesMs <= clock.now()).sort(() => random() - 0.5);
      for (const one of arrived) waiting.splice(waiting.indexOf(one), 1);
      const half = Math.floor(arrived.length * random());
      // some while others roll up, and some buckets become dirty more than once
      await Promise.all([
        store(
          db,
          arrived.slice(0, half).map(({ check }) => check),
        ),
        ...replicas.map((one) => one.run()),
      ]);
      await store(
        db,
        arrived.slice(half).map(({ check }) => check),
      );
      if (random() < 0.2)
        await db.raw(
          'INSERT INTO rollup_dirty (level, monitor_key, node_key, at) SELECT level, monitor_key, node_key, at FROM rollup_dirty',
        );
    }
    await replica().run();
    t.equal(waiting.length, 0);
    t.ok((await compare(t, db, 'at the end')) > 500);
    t.equal((await readProgress(db))['1d'], Math.floor(closableThrough(clock.now()) / DAY_MS) * DAY_MS);
    t.strictSame(await db('rollup_dirty'), []);
    await db.raw("UPDATE rollup_progress SET through = through - interval '7 days' WHERE level <> 'closed'");
    await replica().run();
    await compare(t, db, 'computed again');
  });
}

t.test('a late check recomputes exactly its own buckets, and one in time none', async (t) => {
  const { db, clock, startMs, replica } = await setUp(t);
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
  const { db, startMs, clock, replica } = await setUp(t);
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
    const { db, url, startMs } = await setUp(t);
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
  const { db, clock, startMs, replica } = await setUp(t);
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
  const { db, clock, startMs } = await setUp(t);
  const node = await insertNode(db);
  const { id } = await insertMonitor(db, [node]);
  await store(db, [aCheck(id, node, { slot_ms: startMs })]);
  const rollups = new Rollups({ db, clock, log });
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
