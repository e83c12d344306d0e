import type { Knex } from 'knex';
import { queryPrepared } from '../db/prepared.js';
import {
  type AfterCommit,
  firstOf,
  type LaneEnd,
  type RowBatch,
  type RowWriter,
  rowsOf,
  type StoreBatch,
  type StoredResult,
  type StoreOutcome,
  type StoreRow,
  type TaskResultRow,
} from './batch.js';

// One statement is one transaction: it locks the nodes and marks of its batches (in one order, so that replicas never
// deadlock), refuses rows that may not be stored, drops rows that are not above the mark, ends the node tasks and moves
// the marks. A row that finds its task already ended goes to superseded_results, the first such row; one without a task
// is dropped. Planned once for any number of rows (storage.ts), so each row must be looked up by its id only: with an
// additional `id = ANY($9)`, a thousand rows were compared with a thousand ids each, which took 3 s (2026-11).
const STORE = {
  name: 'ingest-store',
  text: `
  WITH batch AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[], $4::smallint[], $5::bigint[], $6::bigint[])
      WITH ORDINALITY AS b(node_id, session_id, epoch, lane, first, last, number)
  ), locked AS MATERIALIZED (
    SELECT b.*, m.mark,
           n.banned_at IS NOT NULL OR n.quarantined_at IS NOT NULL OR n.session_id IS DISTINCT FROM b.session_id AS is_refused
    FROM batch b
    JOIN nodes n ON n.id = b.node_id
    JOIN ingest_marks m ON m.node_id = b.node_id AND m.epoch = b.epoch AND m.lane = b.lane
    ORDER BY b.node_id, b.epoch, b.lane
    FOR SHARE OF n FOR NO KEY UPDATE OF m
  ), fresh AS MATERIALIZED (
    SELECT l.node_id, r.* FROM unnest($7::bigint[], $8::bigint[], $9::text[], $10::text[], string_to_array($11, E'\\x1e'), $12::boolean[])
      AS r(batch, sequence, id, probe_type, result, success)
    JOIN locked l ON l.number = r.batch
    WHERE NOT l.is_refused AND l.first <= l.mark + 1 AND r.sequence > l.mark
  ), stored AS (
    UPDATE probe_node_tasks t
    SET state = 'done', result = f.result::json, success = f.success, finished_at = now(), late = t.state = 'lost', lost_code = NULL
    FROM fresh f
    WHERE t.id = f.id AND t.node_id = f.node_id AND t.probe_type = f.probe_type
      AND (t.state = 'pending' OR t.state = 'lost' AND t.finished_at > now() - interval '10 minutes')
    RETURNING t.id, t.task_id, t.late, f.batch, f.sequence
  ), superseded AS (
    INSERT INTO superseded_results (id, node_id, result)
    SELECT f.id, f.node_id, f.result::json FROM fresh f
    JOIN probe_node_tasks t ON t.id = f.id AND t.node_id = f.node_id
    WHERE f.id NOT IN (SELECT id FROM stored)
    ON CONFLICT DO NOTHING
  ), moved AS (
    UPDATE ingest_marks m SET mark = l.last, updated_at = now()
    FROM locked l
    WHERE m.node_id = l.node_id AND m.epoch = l.epoch AND m.lane = l.lane
      AND NOT l.is_refused AND l.first <= l.mark + 1 AND l.last > l.mark
  ), finished AS (
    SELECT batch, json_agg(json_build_object('sequence', sequence, 'request_id', task_id, 'is_late', late)) AS rows
    FROM stored GROUP BY batch
  )
  SELECT l.number, l.mark, l.is_refused, l.first > l.mark + 1 AS is_gap,
         to_json(now()) #>> '{}' AS finished_at, coalesce(f.rows, '[]') AS finished
  FROM locked l LEFT JOIN finished f ON f.batch = l.number`,
};

// Checks if repeated rows are already stored: nothing is locked or written, so it does not wait for the disk.
const ASK = {
  name: 'ingest-ask',
  text: `
  SELECT b.number, m.mark, b.first > m.mark + 1 AS is_gap, '' AS finished_at, '[]'::json AS finished,
         n.banned_at IS NOT NULL OR n.quarantined_at IS NOT NULL OR n.session_id IS DISTINCT FROM b.session_id AS is_refused
  FROM unnest($1::text[], $2::text[], $3::bytea[], $4::smallint[], $5::bigint[])
    WITH ORDINALITY AS b(node_id, session_id, epoch, lane, first, number)
  JOIN nodes n ON n.id = b.node_id
  JOIN ingest_marks m ON m.node_id = b.node_id AND m.epoch = b.epoch AND m.lane = b.lane`,
};

interface StoredRow {
  readonly number: number;
  readonly mark: number;
  readonly is_refused: boolean;
  readonly is_gap: boolean;
  readonly finished_at: string;
  readonly finished: readonly { readonly sequence: number; readonly request_id: string; readonly is_late: boolean }[];
}

/**
 * Stores batches of different lanes, at most one of each (node, epoch, lane), in one transaction; one outcome each. A
 * batch of a node or epoch that does not exist is refused. Rows that their kind stores itself make the transaction take
 * more than one statement; all others take one round trip.
 */
export async function storeBatches(db: Knex, batches: readonly StoreBatch[]): Promise<StoreOutcome[]> {
  if (batches.every((batch) => rowsOf(batch).every(isTaskResultRow))) return moveMarks(db, batches);
  const afterwards: AfterCommit[] = [];
  const outcomes = await db.transaction(async (trx) => {
    const moved = await moveMarks(trx, batches);
    for (const [writer, rows] of freshRows(batches, moved)) afterwards.push(await writer.store(trx, rows));
    return moved;
  });
  for (const act of afterwards) act();
  return outcomes;
}

/** Rows of kinds that store their own, past which the marks have just moved, by their writer. */
function freshRows(batches: readonly StoreBatch[], outcomes: readonly StoreOutcome[]) {
  const fresh = new Map<RowWriter, { readonly nodeId: string; readonly body: unknown }[]>();
  batches.forEach((batch, index) => {
    const { nodeId } = batch;
    const outcome = outcomes[index];
    if (outcome?.kind !== 'stored') return;
    for (const row of rowsOf(batch)) {
      if (row.writer === null || row.sequence <= outcome.previousMark) continue;
      const ofWriter = fresh.get(row.writer) ?? [];
      fresh.set(row.writer, ofWriter);
      ofWriter.push({ nodeId, body: row.body });
    }
  });
  return fresh;
}

function isTaskResultRow(row: StoreRow): row is TaskResultRow {
  return row.writer === null;
}

async function moveMarks(db: Knex, batches: readonly StoreBatch[]): Promise<StoreOutcome[]> {
  const stored = await (batches.every(({ kind }) => kind === 'question') ? askAll(db, batches) : storeAll(db, batches));
  const byNumber = new Map(stored.map((row) => [row.number, row]));
  return batches.map((batch, index) => toOutcome(batch, byNumber.get(index + 1)));
}

function askAll(db: Knex, batches: readonly StoreBatch[]): Promise<StoredRow[]> {
  return queryPrepared<StoredRow>(db, ASK, columnsOf(batches));
}

function storeAll(db: Knex, batches: readonly StoreBatch[]): Promise<StoredRow[]> {
  const rows = batches.flatMap((batch, index) =>
    rowsOf(batch)
      .filter(isTaskResultRow)
      .map((row) => ({ row, batch: index + 1 })),
  );
  return queryPrepared<StoredRow>(db, STORE, [
    ...columnsOf(batches),
    batches.map(({ last }) => last),
    rows.map(({ batch }) => batch),
    rows.map(({ row }) => row.sequence),
    rows.map(({ row }) => row.taskId),
    rows.map(({ row }) => row.probeType),
    // JSON escapes control characters, so one of them can separate the documents: as elements of an array, escaped,
    // they cost twice as much
    rows.map(({ row }) => row.resultJson).join('\x1e'),
    rows.map(({ row }) => row.isSuccess),
  ]);
}

function columnsOf(batches: readonly StoreBatch[]) {
  return [
    batches.map(({ nodeId }) => nodeId),
    batches.map(({ sessionId }) => sessionId),
    batches.map(({ epoch }) => epoch),
    batches.map(({ lane }) => lane),
    batches.map(firstOf),
  ];
}

function toOutcome(batch: StoreBatch, row: StoredRow | undefined): StoreOutcome {
  if (!row || row.is_refused) return { kind: 'refused' };
  if (row.is_gap) return { kind: 'gap', mark: row.mark };
  return {
    kind: 'stored',
    mark: Math.max(row.mark, batch.last),
    previousMark: row.mark,
    finished: storedResults(batch, row),
  };
}

function storedResults(batch: StoreBatch, { finished, finished_at: finishedAt }: StoredRow): StoredResult[] {
  const bySequence = new Map(
    rowsOf(batch)
      .filter(isTaskResultRow)
      .map((row) => [row.sequence, row]),
  );
  return finished.flatMap(({ sequence, request_id: requestId, is_late: isLate }) => {
    const row = bySequence.get(sequence);
    return row === undefined ? [] : [{ row, requestId, isLate, finishedAt }];
  });
}

/**
 * Greatest number of rows of one node in a table of failures: an honest node has a few, and no node may fill a disk
 * with them.
 */
const MAX_RECORDS = 1_000;

/**
 * Keeps a row that PostgreSQL refused, so that its number can be skipped; beyond a thousand rows of a node it is not
 * kept.
 */
export async function insertDeadLetter(
  trx: Knex,
  batch: LaneEnd,
  row: StoreRow,
  error: Error & { code?: string },
): Promise<void> {
  await insertRecord(trx, 'dead_letters', {
    node_id: batch.nodeId,
    epoch: batch.epoch,
    lane: batch.lane,
    sequence: row.sequence,
    code: error.code ?? 'unknown',
    message: error.message.slice(0, 500),
    payload: Buffer.from(row.resultJson),
  });
}

/** Notes numbers that the agent dropped; they count as delivered. Beyond a thousand notes of a node none is made. */
export async function insertSpoolGap(trx: Knex, gap: RowBatch, reason: string): Promise<void> {
  await insertRecord(trx, 'spool_gaps', {
    node_id: gap.nodeId,
    epoch: gap.epoch,
    lane: gap.lane,
    first: gap.first,
    last: gap.last,
    reason,
  });
}

async function insertRecord(
  trx: Knex,
  table: 'dead_letters' | 'spool_gaps',
  record: Readonly<Record<string, unknown>> & { readonly node_id: string },
): Promise<void> {
  const { rows } = await trx.raw<{ rows: { count: number }[] }>(
    'SELECT count(*)::int AS count FROM (SELECT FROM ?? WHERE node_id = ? LIMIT ?) AS known',
    [table, record.node_id, MAX_RECORDS],
  );
  if ((rows[0]?.count ?? 0) < MAX_RECORDS) await trx(table).insert(record);
}
