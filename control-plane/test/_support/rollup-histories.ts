import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import type { CheckReport } from '@vantage/shared/monitor-state/check-report.js';
import type { Knex } from 'knex';
import { pino } from 'pino';
import type { Test } from 'tap';
import { ensurePartitions } from '../../src/db/partitions.js';
import type { Delivered } from '../../src/modules/monitors/checks/check-store.js';
import type { Interval } from '../../src/modules/monitors/definition/interval.js';
import { BIN_UNIT, binOf } from '../../src/modules/monitors/history/histogram.js';
import { closableThrough, rollupLevels } from '../../src/modules/monitors/history/rollup-levels.js';
import { readProgress } from '../../src/modules/monitors/history/rollup-store.js';
import { rollups } from '../../src/modules/monitors/history/rollups.js';
import { createTestDatabase } from './database.js';
import { seededRandom } from './seeded-random.js';
import { aCheck, insertMonitor, store } from './stored-monitor.js';
import { insertNode } from './stored-node.js';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const log = pino({ level: 'silent' });

/** A database in which exactly everything before today is rolled up. */
export async function startRollups(t: Test) {
  const { db, url } = await createTestDatabase(t);
  const startMs = (await readProgress(db)).closed;
  await ensurePartitions(db, startMs);
  const clock = new FakeClock(startMs);
  const replica = () => rollups({ db, clock, log });
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
export async function compare(t: Test, db: Knex, what: string): Promise<number> {
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
  { fromMs, toMs, count, maxDelayMs }: Interval & { count: number; maxDelayMs: number },
): { arrivesMs: number; check: Delivered<CheckReport> }[] {
  return Array.from({ length: count }, () => {
    const pair = pairs[Math.floor(random() * pairs.length)] ?? { monitorId: '', nodeId: '' };
    // most of them close together, so that buckets have several
    const near = random() < 0.5 ? fromMs + Math.floor(random() * 4) * 9 * HOUR_MS : fromMs;
    const slot_ms = Math.floor(near + random() * (near === fromMs ? toMs - fromMs : 20 * MINUTE_MS));
    const outcome = (['ok', 'ok', 'degraded', 'failed'] as const)[Math.floor(random() * 4)] ?? 'ok';
    const response_ms = outcome === 'failed' && random() < 0.7 ? null : aTime(random);
    const delayMs = random() < 0.6 ? random() * 30_000 : random() * maxDelayMs;
    return {
      arrivesMs: slot_ms + delayMs,
      check: aCheck(pair.monitorId, pair.nodeId, { slot_ms, outcome, response_ms }),
    };
  });
}

/** Checks that roll-ups of a random history equal the aggregates of all its checks; it lasts five times `partMs`. */
export async function equalAllChecks(
  t: Test,
  { seed, partMs = DAY_MS, count = 1_500 }: { seed: number; partMs?: number; count?: number },
): Promise<void> {
  const { db, clock, startMs, replica } = await startRollups(t);
  const random = seededRandom(seed);
  const nodes = [await insertNode(db), await insertNode(db)];
  const monitors = [await insertMonitor(db, nodes), await insertMonitor(db, nodes), await insertMonitor(db, nodes)];
  const pairs = monitors.flatMap(({ id }) => nodes.map((nodeId) => ({ monitorId: id, nodeId })));
  const waiting = randomChecks(random, pairs, {
    fromMs: startMs - 2 * partMs,
    toMs: startMs + partMs,
    count,
    maxDelayMs: (5 / 3) * partMs,
  });
  const endMs = startMs + 3 * partMs;
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
  t.ok((await compare(t, db, 'at the end')) > count / 3);
  t.equal((await readProgress(db))['1d'], Math.floor(closableThrough(clock.now()) / DAY_MS) * DAY_MS);
  t.strictSame(await db('rollup_dirty'), []);
  await db.raw("UPDATE rollup_progress SET through = through - make_interval(days => ?) WHERE level <> 'closed'", [
    Math.ceil((5 * partMs) / DAY_MS),
  ]);
  await replica().run();
  await compare(t, db, 'computed again');
}
