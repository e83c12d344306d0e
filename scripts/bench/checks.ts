import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from 'vantage-control/db/database.js';
import { startEmbeddedPostgres } from 'vantage-control/db/embedded/index.js';
import { migrate } from 'vantage-control/db/migrate.js';
import { ensurePartitions } from 'vantage-control/db/partitions.js';
import {
  levelOf,
  nextBuckets,
  type RollupStep,
  rollupSteps,
} from 'vantage-control/modules/monitors/history/rollup-levels.js';
import {
  insertBuckets,
  noteNewestChecks,
  readProgress,
  renewBuckets,
} from 'vantage-control/modules/monitors/history/rollup-store.js';
import { listMonitors } from 'vantage-control/modules/monitors/reading/list-store.js';
import { personalOwner } from 'vantage-control/owners/index.js';
import { createLogger } from 'vantage-control/runtime/log.js';
import { type Part, type Stops, sized, tableText } from './harness.js';
import { type Figure, figureOf, figureText, msOf } from './statistics.js';

type Knex = ReturnType<typeof openDatabase>;

const MONITORS = sized(10_000, 20);
const NODES = 3;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Cost of a stored check. */
export const checks: Part = {
  name: 'checks',
  question: 'How much space does a stored check need, and what do roll-ups cost?',
  title: 'space of stored checks, and time of roll-ups',
  method: () =>
    `embedded PostgreSQL (fsync on). ${MONITORS} monitors on ${NODES} nodes each, a check a minute: 500 a second, an hour of them, and partitions of 90 days`,
  async run({ rounds }, stops) {
    return measure(await startDatabase(stops), rounds);
  },
};

async function startDatabase(stops: Stops): Promise<Knex> {
  const dataDir = await mkdtemp(join(tmpdir(), 'vantage-bench-'));
  const log = createLogger('warn');
  const server = await startEmbeddedPostgres({ dataDir, ephemeral: dataDir, log, settings: {} });
  stops.push(() => server.stop());
  // same as in the pool of a replica; filling the tables may take longer
  const settings = { plan_cache_mode: 'force_generic_plan', statement_timeout: '0' };
  const db = openDatabase({ url: server.url, poolSize: 2, applicationName: 'bench', settings });
  stops.push(() => db.destroy());
  await migrate(db, log);
  return db;
}

async function measure(db: Knex, rounds: number): Promise<string> {
  const startMs = (await readProgress(db)).closed;
  for (let days = 90; days >= 0; days -= 6) await ensurePartitions(db, startMs - days * DAY_MS);
  await insertMonitors(db);
  // an hour of 500 checks a second, then one more minute per round, each rolled up when it has ended
  await insertChecks(db, startMs, 60);
  await db.raw('VACUUM ANALYZE');
  await build(db, '1m', startMs + HOUR_MS);
  const minutes: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const fromMs = startMs + HOUR_MS + round * MINUTE_MS;
    await insertChecks(db, fromMs, 1);
    const [ms] = await build(db, '1m', fromMs + MINUTE_MS);
    if (round > 0) minutes.push(ms ?? 0);
  }
  const quarters = await build(db, '15m', startMs + HOUR_MS);
  const hours = await build(db, '1h', startMs + HOUR_MS);
  const quarter = { fromMs: startMs, toMs: startMs + 15 * MINUTE_MS };
  const noting = await msOf(() => db.transaction((trx) => noteNewestChecks(trx, quarter)));
  await copyHours(db, startMs);
  const days = await build(db, '1d', startMs + DAY_MS);
  const late = await measureLate(db, startMs);
  const lists: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const owner = personalOwner('u_bench');
    const nowMs = startMs + 2 * HOUR_MS;
    const uptimeOf = { fromMs: nowMs - 30 * DAY_MS, toMs: nowMs };
    const page = { owner, filter: {}, order: '-created_at' as const, limit: 100, offset: 0, nowMs, uptimeOf };
    const ms = await msOf(() => listMonitors(db, page));
    if (round > 0) lists.push(ms);
  }
  const row = (what: string, seconds: number, figure: Figure) => [
    what,
    figureText(figure, 0),
    `${(figure.median / seconds / 10).toFixed(2)} %`,
  ];
  const built = [
    row('1m', 60, figureOf(minutes)),
    row('15m', 900, figureOf(quarters)),
    row('15m, when each monitor was checked last', 900, figureOf([noting])),
    row('1h', 3_600, figureOf(hours)),
    row('1d', 86_400, figureOf(days)),
    ...late,
    ['for comparison: a page of 100 monitors with when each was checked last', figureText(figureOf(lists), 0), ''],
  ];
  const sizes = tableText(['table', 'rows', 'bytes per row', 'of indexes'], await measureSizes(db));
  return `${tableText(['buckets', 'built in ms', 'of a core'], built)}\n\n${sizes}`;
}

async function insertMonitors(db: Knex): Promise<void> {
  await db.raw("INSERT INTO owners (id, kind, plan) VALUES ('u_bench', 'user', 'business')");
  await db.raw("INSERT INTO users (id, email, role) VALUES ('u_bench', 'bench@bench.example', 'user')");
  await db.raw(
    `INSERT INTO monitors (id, owner_id, created_by, name, type, target, interval_s, config, node_selection, node_count,
       consecutive_fail, consecutive_ok, fail_node_quorum)
     SELECT 'mon_' || n, 'u_bench', 'u_bench', n::text, 'http', 'https://example.com/', 60, '{}', '{}', ${NODES}, 2, 1, '2/3'
     FROM generate_series(1, ${MONITORS}) n`,
  );
  await db.raw('INSERT INTO monitor_states (monitor_id) SELECT id FROM monitors');
}

/** Each minute a check of every node of every monitor, in the order of time; one in fifty fails, the others answer after 20 to 200 ms. */
async function insertChecks(db: Knex, fromMs: number, minutes: number): Promise<void> {
  await db.raw(
    `INSERT INTO monitor_checks (at, monitor_key, node_key, late_ms, response_ms, status_code, outcome, flags, keep_days, error)
     SELECT at, monitor_key, node_key, 3, CASE WHEN luck < 0.02 THEN NULL ELSE (20 * power(10, random()))::real END,
            CASE WHEN luck < 0.02 THEN NULL ELSE 200 END, CASE WHEN luck < 0.02 THEN 2 ELSE 0 END, 0, 90,
            CASE WHEN luck < 0.02 THEN 'tcp_timeout: no answer within 10000 ms' END
     FROM (
       SELECT timestamptz '${new Date(fromMs).toISOString()}' + (m * 60 + phase) * interval '1 s' AS at, monitor_key, node_key, random() AS luck
       FROM generate_series(0, ${minutes - 1}) m,
         (SELECT k AS monitor_key, n AS node_key, abs(hashint8(k * 10 + n)) % 60000 / 1000.0 AS phase
          FROM generate_series(1, ${MONITORS}) k, generate_series(1, ${NODES}) n) pairs
     ) due ORDER BY at`,
  );
}

/**
 * Builds a level as far as possible once everything below it is complete up to `throughMs`. @returns milliseconds of
 * each statement
 */
async function build(db: Knex, step: RollupStep, throughMs: number): Promise<number[]> {
  await db.raw("UPDATE rollup_progress SET through = greatest(through, ?) WHERE level = 'closed'", [
    new Date(throughMs),
  ]);
  const times: number[] = [];
  const level = levelOf(step);
  for (;;) {
    const buckets = nextBuckets({ ...level, atOnceMs: level.stepMs }, await readProgress(db));
    if (buckets === null) return times;
    times.push(
      await msOf(() =>
        db.transaction(async (trx) => {
          await trx.raw("SET LOCAL work_mem = '64MB'");
          await insertBuckets(trx, level, buckets);
        }),
      ),
    );
  }
}

/** A day of hours out of one, moved by hours. */
async function copyHours(db: Knex, startMs: number): Promise<void> {
  await db.raw(
    `INSERT INTO rollups_1h SELECT at + h * interval '1 hour', sum_us, monitor_key, node_key, ok, degraded, failed, answered,
       min_ms, max_ms, histogram FROM rollups_1h, generate_series(1, 23) h`,
  );
  await db.raw("UPDATE rollup_progress SET through = ? WHERE level = '1h'", [new Date(startMs + DAY_MS)]);
}

/** Cells of the time to make a bucket of every node of every monitor again, level by level. The day is over by now. */
async function measureLate(db: Knex, startMs: number): Promise<string[][]> {
  await db.raw(
    `INSERT INTO rollup_dirty (level, monitor_key, node_key, at) SELECT '1m', k, n, ?
     FROM generate_series(1, ${MONITORS}) k, generate_series(1, ${NODES}) n ORDER BY random()`,
    [new Date(startMs + 7 * MINUTE_MS)],
  );
  const cells: string[][] = [];
  for (const step of rollupSteps) {
    const ms = await msOf(async () => {
      for (let taken = 1; taken > 0; ) {
        taken = await db.transaction(async (trx) => renewBuckets(trx, levelOf(step), await readProgress(trx)));
      }
    });
    cells.push([`${step}, ${MONITORS * NODES} of them again, each for a late check`, ms.toFixed(0), '']);
  }
  return cells;
}

/** Cells of the size of each table. */
async function measureSizes(db: Knex): Promise<string[][]> {
  const cells: string[][] = [];
  for (const name of ['monitor_checks', 'rollups_1m', 'rollups_15m', 'rollups_1h', 'rollups_1d']) {
    const { rows } = await db.raw<{ rows: { count: number; heap: number; indexes: number }[] }>(
      `SELECT (SELECT count(*)::int FROM ${name}) AS count, sum(pg_table_size(relid))::bigint AS heap, sum(pg_indexes_size(relid))::bigint AS indexes
       FROM pg_partition_tree('${name}') WHERE isleaf AND pg_relation_size(relid) > 0`,
    );
    for (const { count, heap, indexes } of rows)
      cells.push([name, String(count), ((heap + indexes) / count).toFixed(1), (indexes / count).toFixed(1)]);
  }
  return cells;
}
