import type { Knex } from 'knex';
import { advisoryLocks } from '../../../db/advisory-locks.js';
import { instantLiteral } from '../../../db/literals.js';
import { queryPrepared } from '../../../db/prepared.js';
import type { Interval } from '../definition/interval.js';
import { BIN_UNIT, histogramBounds } from './histogram.js';
import { after, before, type RollupLevel, type RollupProgress } from './rollup-levels.js';

// Instants are literals in these statements: a plan for parameters would cover every partition.

/** Number of buckets of the dirty list that one statement rolls up again. */
const DIRTY_AT_ONCE = 10_000;

/** The bin of `ms`, an SQL expression. */
const bin = (ms: string) => `width_bucket((${ms})::float8, '{${histogramBounds.join(',')}}'::float8[])`;
const bucket = ({ stepMs }: RollupLevel, at: string) => `date_bin('${stepMs / 1_000} s', ${at}, timestamptz 'epoch')`;

/**
 * Closes minutes up to an instant: their checks that arrive from now on are recorded as late. Waits for transactions that store now,
 * but only shortly, since all that want to store wait behind it. False if not possible this time.
 */
export async function closeMinutes(db: Knex, throughMs: number): Promise<boolean> {
  const { rows } = await db.raw<{ rows: object[] }>(
    "SELECT FROM rollup_progress WHERE level = 'closed' AND through < ?",
    [new Date(throughMs)],
  );
  if (rows.length === 0) return true;
  const closing = await db.raw<{ rows: { closed: boolean }[] }>('SELECT close_rollups(?) AS closed', [
    new Date(throughMs),
  ]);
  return closing.rows[0]?.closed ?? false;
}

/** True if this transaction got the lock for roll-ups, which it holds until it ends. */
export async function lockRollups(trx: Knex): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: { locked: boolean }[] }>('SELECT pg_try_advisory_xact_lock(?) AS locked', [
    advisoryLocks.rollups,
  ]);
  // sort in memory instead of files
  await trx.raw("SET LOCAL work_mem = '64MB'");
  return rows[0]?.locked ?? false;
}

const READ_PROGRESS = { name: 'rollup-progress', text: 'SELECT level, through FROM rollup_progress' };

/** Progress of roll-ups. */
export async function readProgress(db: Knex): Promise<RollupProgress> {
  const rows = await queryPrepared<{ level: string; through: Date }>(db, READ_PROGRESS, []);
  return Object.fromEntries(rows.map(({ level, through }) => [level, through.getTime()])) as RollupProgress;
}

/** Rolls up whole buckets of a level from the level below, and records the progress. */
export async function insertBuckets(trx: Knex, level: RollupLevel, { fromMs, toMs }: Interval): Promise<void> {
  const range = `s.at >= ${instantLiteral(fromMs)} AND s.at < ${instantLiteral(toMs)}`;
  await trx.raw(upsert(level, `${sourceOf(level)} s`, range));
  await trx.raw('UPDATE rollup_progress SET through = ? WHERE level = ?', [new Date(toMs), level.step]);
}

/**
 * Rolls up exactly the buckets of the dirty list again, and records which of the next level must follow. `progress`: as read in this
 * transaction. @returns the number of entries taken from the list
 */
export async function renewBuckets(trx: Knex, level: RollupLevel, progress: RollupProgress): Promise<number> {
  const { step, stepMs } = level;
  const next = after(level);
  const dirty = await readDirty(trx, level);
  if (dirty === null) return 0;
  await trx.raw(
    `WITH taken AS (
       DELETE FROM rollup_dirty WHERE level = '${step}' AND id = ANY(?::bigint[]) RETURNING monitor_key, node_key, at
     ), buckets AS MATERIALIZED (
       SELECT DISTINCT monitor_key, node_key, at FROM taken
     ), source AS MATERIALIZED (
       SELECT s.* FROM buckets b CROSS JOIN LATERAL (
         SELECT * FROM ${sourceOf(level)} s
         WHERE s.monitor_key = b.monitor_key AND s.node_key = b.node_key AND s.at >= b.at AND s.at < b.at + interval '${stepMs / 1_000} s'
           AND s.at >= ${instantLiteral(dirty.fromMs)} AND s.at < ${instantLiteral(dirty.toMs + stepMs)}
         OFFSET 0
       ) s
     ), made AS (
       ${upsert(level, 'source s', 'true')}
     ), above AS (
       ${next === null ? 'SELECT' : dirtyOf(next, progress)}
     ), newest AS (
       ${before(level) === null ? noteNewest('source') : 'SELECT'}
     )
     SELECT`,
    [dirty.ids],
  );
  return dirty.ids.length;
}

/** Oldest entries of the dirty list, with the first and the last begin of their buckets; null if there are none. */
async function readDirty(trx: Knex, { step }: RollupLevel): Promise<(Interval & { ids: number[] }) | null> {
  const { rows } = await trx.raw<{ rows: { ids: number[] | null; first: Date; last: Date }[] }>(
    `SELECT array_agg(id) AS ids, min(at) AS first, max(at) AS last
     FROM (SELECT id, at FROM rollup_dirty WHERE level = ? ORDER BY id LIMIT ${DIRTY_AT_ONCE}) d`,
    [step],
  );
  const [row] = rows;
  return row?.ids ? { ids: row.ids, fromMs: row.first.getTime(), toMs: row.last.getTime() } : null;
}

/** Records when monitors were checked last, from the checks of a range. */
export async function noteNewestChecks(trx: Knex, { fromMs, toMs }: Interval): Promise<void> {
  await trx.raw(
    noteNewest(`(SELECT monitor_key, at FROM monitor_checks
      WHERE at >= ${instantLiteral(fromMs)} AND at < ${instantLiteral(toMs)})`),
  );
}

function noteNewest(source: string): string {
  return `UPDATE monitor_states s SET last_check_at = n.at
    FROM (SELECT monitor_key, max(at) AS at FROM ${source} AS c GROUP BY monitor_key) n
    JOIN monitors m ON m.key = n.monitor_key
    WHERE s.monitor_id = m.id AND (s.last_check_at IS NULL OR s.last_check_at < n.at)`;
}

function sourceOf(level: RollupLevel): string {
  return before(level)?.table ?? 'monitor_checks';
}

/** SQL that lists as dirty the existing buckets of the next level above those that were rolled up again. */
function dirtyOf(next: RollupLevel, progress: RollupProgress): string {
  const at = bucket(next, 'at');
  return `INSERT INTO rollup_dirty (level, monitor_key, node_key, at)
    SELECT DISTINCT '${next.step}', monitor_key, node_key, ${at} FROM buckets WHERE ${at} < ${instantLiteral(progress[next.step])}`;
}

/** SQL that groups by bin first, so that a histogram is the list of bins. */
function upsert(level: RollupLevel, source: string, where: string): string {
  return `INSERT INTO ${level.table} AS r
      (monitor_key, node_key, at, ok, degraded, failed, answered, sum_us, min_ms, max_ms, histogram)
    SELECT monitor_key, node_key, bucket, sum(ok), sum(degraded), sum(failed), sum(answered), sum(sum_us),
           min(min_ms), max(max_ms),
           CASE WHEN count(bin) > 1 THEN array_agg(bin * ${BIN_UNIT} + answered::int ORDER BY bin) FILTER (WHERE bin IS NOT NULL) END
    FROM (${before(level) === null ? binsOfChecks(level, source, where) : binsOfBuckets(level, source, where)}) g
    GROUP BY monitor_key, node_key, bucket
    ON CONFLICT (monitor_key, node_key, at) DO UPDATE SET
      ok = excluded.ok, degraded = excluded.degraded, failed = excluded.failed, answered = excluded.answered,
      sum_us = excluded.sum_us, min_ms = excluded.min_ms, max_ms = excluded.max_ms, histogram = excluded.histogram
    WHERE (r.ok, r.degraded, r.failed, r.answered, r.sum_us, r.min_ms, r.max_ms, r.histogram) IS DISTINCT FROM
      (excluded.ok, excluded.degraded, excluded.failed, excluded.answered, excluded.sum_us, excluded.min_ms, excluded.max_ms, excluded.histogram)`;
}

function binsOfChecks(level: RollupLevel, source: string, where: string): string {
  return `SELECT s.monitor_key, s.node_key, ${bucket(level, 's.at')} AS bucket, ${bin('s.response_ms')} AS bin,
      count(*) FILTER (WHERE s.outcome = 0) AS ok, count(*) FILTER (WHERE s.outcome = 1) AS degraded,
      count(*) FILTER (WHERE s.outcome = 2) AS failed, count(s.response_ms) AS answered,
      coalesce(sum((s.response_ms::float8 * 1000)::bigint), 0) AS sum_us, min(s.response_ms) AS min_ms, max(s.response_ms) AS max_ms
    FROM ${source} WHERE ${where} GROUP BY 1, 2, 3, 4`;
}

/** SQL that splits a bucket of the level below into a row per bin; the first row has its other figures. */
function binsOfBuckets(level: RollupLevel, source: string, where: string): string {
  const first = 'coalesce(e.nth, 1) = 1';
  return `SELECT s.monitor_key, s.node_key, ${bucket(level, 's.at')} AS bucket, e.entry / ${BIN_UNIT} AS bin,
      coalesce(sum(s.ok) FILTER (WHERE ${first}), 0) AS ok, coalesce(sum(s.degraded) FILTER (WHERE ${first}), 0) AS degraded,
      coalesce(sum(s.failed) FILTER (WHERE ${first}), 0) AS failed, coalesce(sum(e.entry % ${BIN_UNIT}), 0) AS answered,
      coalesce(sum(s.sum_us) FILTER (WHERE ${first}), 0) AS sum_us, min(s.min_ms) AS min_ms, max(s.max_ms) AS max_ms
    FROM ${source} LEFT JOIN LATERAL unnest(coalesce(s.histogram,
        CASE WHEN s.answered > 0 THEN ARRAY[${bin('s.min_ms')} * ${BIN_UNIT} + s.answered] END))
      WITH ORDINALITY AS e (entry, nth) ON true
    WHERE ${where} GROUP BY 1, 2, 3, 4`;
}
