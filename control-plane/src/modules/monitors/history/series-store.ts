import type { Knex } from 'knex';
import { instantLiteral } from '../../../db/literals.js';
import { queryPrepared } from '../../../db/prepared.js';
import { type Owner, ownedBy } from '../../../owners/index.js';
import type { Interval } from '../definition/interval.js';
import { before, type RollupLevel, type RollupProgress } from './rollup-levels.js';
import { readProgress } from './rollup-store.js';

// Results newer than the end of a level are not rolled up that far yet: they are read from the level below, down to single checks.
//
//   from                      made        made of the one below   made of minutes        to
//     |======== 1h ============|===== 15m ==========|====== 1m ========|==== checks ======|

/** Selection of a series of one monitor. */
export interface SeriesRange extends Interval {
  readonly monitorKey: number;
  /** Key of a node; null for all nodes. */
  readonly nodeKey: number | null;
}

/** Totals of checks by one node in a bucket; a single check is a bucket too. */
export interface BucketRow {
  /** Start of the bucket, or when the check was due. */
  readonly at: Date;
  readonly ok: number;
  readonly degraded: number;
  readonly failed: number;
  readonly answered: number;
  readonly sum_us: number;
  readonly min_ms: number | null;
  readonly max_ms: number | null;
  /** Stored histogram; null if all checks are in the bin of `min_ms`. */
  readonly histogram: readonly number[] | null;
}

/** Totals for whole buckets of a level, in buckets of that level or shorter. */
export async function listBuckets(db: Knex, level: RollupLevel, range: SeriesRange): Promise<BucketRow[]> {
  const pieces = piecesOf(level, range, await readProgress(db));
  const columns = 'at, ok, degraded, failed, answered, sum_us, min_ms, max_ms, histogram';
  const { rows } = await db.raw<{ rows: BucketRow[] }>(
    pieces.map((piece) => select(piece, seriesOf(range), columns)).join(' UNION ALL '),
  );
  return rows;
}

/** Mean response time of a monitor in a cell of a range, in milliseconds; null if nothing answered. */
export interface CellRow {
  readonly monitor_key: number;
  /** Number of the cell, from 0. */
  readonly cell: number;
  readonly mean_ms: number | null;
}

/** Mean response times of monitors in cells of equal length, which are whole buckets of a level. */
export async function meanByCell(
  db: Knex,
  level: RollupLevel,
  {
    monitorKeys,
    cellMs,
    fromMs,
    toMs,
  }: Interval & { readonly monitorKeys: readonly number[]; readonly cellMs: number },
): Promise<CellRow[]> {
  const pieces = piecesOf(level, { fromMs, toMs }, await readProgress(db));
  const parts = pieces.map((piece) => select(piece, { monitorKeys }, 'monitor_key, at, answered, sum_us'));
  const { rows } = await db.raw<{ rows: CellRow[] }>(
    `SELECT monitor_key, floor((extract(epoch FROM at) * 1000 - ${fromMs}) / ${cellMs})::int AS cell,
       (sum(sum_us) / nullif(sum(answered), 0) / 1000)::float8 AS mean_ms
     FROM (${parts.join(' UNION ALL ')}) b GROUP BY 1, 2`,
  );
  return rows;
}

/** Number of checks by each node, and of those that failed. */
export interface NodeCountRow {
  readonly node_id: string;
  readonly checks: number;
  readonly failed: number;
}

/** Counts by node in whole buckets of a level. */
export async function countByNode(db: Knex, level: RollupLevel, range: SeriesRange): Promise<NodeCountRow[]> {
  const pieces = piecesOf(level, range, await readProgress(db));
  const { rows } = await db.raw<{ rows: NodeCountRow[] }>(
    `SELECT n.id AS node_id, c.checks, c.failed
     FROM (SELECT node_key, sum(ok + degraded + failed)::bigint AS checks, sum(failed)::bigint AS failed
           FROM (${pieces.map((piece) => select(piece, seriesOf(range), 'node_key, ok, degraded, failed')).join(' UNION ALL ')}) p
           GROUP BY node_key) c
     JOIN nodes n ON n.key = c.node_key ORDER BY n.id`,
  );
  return rows;
}

/** Run of missed slots, at even distances from the first to the last. */
export interface MissedRow {
  readonly first_at: Date;
  readonly last_at: Date;
  readonly slots: number;
}

/** Runs of missed slots that touch a range; those within one bucket of a level are merged. */
export async function listMissed(
  db: Knex,
  { stepMs }: RollupLevel,
  { monitorKey, nodeKey, fromMs, toMs }: SeriesRange,
): Promise<MissedRow[]> {
  const bucketOf = (column: string) => `floor(extract(epoch FROM ${column}) * 1000 / ${stepMs})`;
  const { rows } = await db.raw<{ rows: MissedRow[] }>(
    `SELECT min(first_at) AS first_at, max(last_at) AS last_at, sum(slots)::float8 AS slots
     FROM (SELECT *, ${bucketOf('first_at')} AS first_in, ${bucketOf('last_at')} AS last_in FROM missed_slots
           WHERE monitor_key = ${monitorKey} AND last_at >= ${instantLiteral(fromMs)} AND first_at < ${instantLiteral(toMs)}
             ${ofNode(nodeKey)}) r
     GROUP BY first_in, last_in, CASE WHEN first_in <> last_in THEN (node_key, first_at) END`,
  );
  return rows;
}

/** Monitor whose bar is made. */
export interface BarMonitorRow {
  readonly id: string;
  readonly key: number;
  readonly owner_id: string;
  readonly is_test: boolean;
  readonly group_id: string | null;
  readonly tags: readonly string[];
  readonly first_check_at: Date | null;
}

/** Those of an owner's monitors that have one of the ids. */
export function findBarMonitors(db: Knex, ids: readonly string[], owner: Owner): Promise<BarMonitorRow[]> {
  const statement = {
    name: `bar-monitors${owner.isTest ? '-test' : ''}`,
    text: `SELECT m.id, m.key, m.owner_id, m.is_test, m.group_id, m.tags, s.first_check_at FROM monitors m
      JOIN monitor_states s ON s.monitor_id = m.id WHERE m.id = ANY($1::text[]) AND ${ownedBy(owner, 'm', '$2')}`,
  };
  return queryPrepared<BarMonitorRow>(db, statement, [[...ids], owner.id]);
}

const FIND_NODE_KEY = {
  name: 'monitor-node-key',
  text: 'SELECT n.key FROM nodes n JOIN monitor_assignments a ON a.node_id = n.id WHERE n.id = $1 AND a.monitor_id = $2',
};

/** Key of a node that has or had a monitor; null if it never had it. */
export async function findNodeKey(db: Knex, monitorId: string, nodeId: string): Promise<number | null> {
  const [row] = await queryPrepared<{ key: number }>(db, FIND_NODE_KEY, [nodeId, monitorId]);
  return row?.key ?? null;
}

interface Piece extends Interval {
  readonly level: RollupLevel | null;
}

/** Parts of a range with the level each is read from; at least one part. */
function piecesOf(level: RollupLevel, { fromMs, toMs }: Interval, progress: RollupProgress): Piece[] {
  const pieces: Piece[] = [];
  let startMs = fromMs;
  for (let from: RollupLevel | null = level; from !== null; from = before(from)) {
    const endMs = Math.min(progress[from.step], toMs);
    if (startMs < endMs) pieces.push({ level: from, fromMs: startMs, toMs: endMs });
    startMs = Math.max(startMs, endMs);
  }
  if (startMs < toMs || pieces.length === 0) pieces.push({ level: null, fromMs: startMs, toMs });
  return pieces;
}

/** Monitors whose buckets are read, and the node if they are of one. */
interface SeriesOf {
  readonly monitorKeys: readonly number[];
  readonly nodeKey?: number | null;
}

function seriesOf({ monitorKey, nodeKey }: SeriesRange): SeriesOf {
  return { monitorKeys: [monitorKey], nodeKey };
}

function select({ level, fromMs, toMs }: Piece, { monitorKeys, nodeKey = null }: SeriesOf, columns: string): string {
  return `SELECT ${columns} FROM ${level === null ? CHECKS : level.table} s
    WHERE monitor_key IN (${monitorKeys.join(', ')}) AND at >= ${instantLiteral(fromMs)} AND at < ${instantLiteral(toMs)} ${ofNode(nodeKey)}`;
}

function ofNode(nodeKey: number | null): string {
  return nodeKey === null ? '' : `AND node_key = ${nodeKey}`;
}

/** SQL: checks as buckets of one. */
const CHECKS = `(SELECT at, monitor_key, node_key, (outcome = 0)::int AS ok, (outcome = 1)::int AS degraded,
    (outcome = 2)::int AS failed, (response_ms IS NOT NULL)::int AS answered,
    coalesce((response_ms::float8 * 1000)::bigint, 0) AS sum_us, response_ms AS min_ms, response_ms AS max_ms,
    NULL::integer[] AS histogram
  FROM monitor_checks)`;
