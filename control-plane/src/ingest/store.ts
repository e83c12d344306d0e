import type { Knex } from 'knex';
import { queryPrepared } from '../db/prepared.js';
import { isQuestion } from './joined-batches.js';

/** One contiguous run of rows of one lane, as a link delivered it. */
export interface StoreBatch {
  readonly nodeId: string;
  readonly sessionId: string;
  readonly epoch: Buffer;
  readonly lane: number;
  readonly first: number;
  readonly last: number;
  readonly rows: readonly StoreRow[];
}

/** What every checked result has, whatever it is of. */
interface CheckedRow {
  readonly sequence: number;
  readonly probeType: string;
  /** JSON of the result. */
  readonly resultJson: string;
  /** `success` or the error code. */
  readonly outcome: string;
}

/** A checked result of a one-shot probe. */
export interface TaskRow extends CheckedRow {
  readonly writer: null;
  readonly taskId: string;
  /** The checked result; the JSON of it is stored. */
  readonly result: Record<string, unknown>;
  readonly isSuccess: boolean;
}

/** A checked result of a kind that stores its rows itself. */
export interface OwnRow extends CheckedRow {
  readonly writer: RowWriter;
  readonly body: unknown;
}

/** Done when what was stored can be seen by everybody. */
export type AfterCommit = () => void;

/** Stores the rows of one kind. */
export interface RowWriter {
  /** Of the kind. */
  readonly name: string;
  /** Within the transaction that moves the marks. `rows` were read by that kind. @returns what to do after the commit */
  store(trx: Knex, rows: readonly { readonly nodeId: string; readonly body: unknown }[]): Promise<AfterCommit>;
}

/** One checked result. */
export type StoreRow = TaskRow | OwnRow;

/** A result that ended its node task. */
export interface StoredResult {
  readonly row: TaskRow;
  /** The request its node task belongs to. */
  readonly requestId: string;
  /** The node task had been given up already. */
  readonly isLate: boolean;
  /** By the database's clock, as it stands in the row. */
  readonly finishedAt: string;
}

/** What became of a batch: `mark` is durable; refused: banned or not the live session; gap: rows before it are missing. */
export type StoreOutcome =
  | {
      readonly kind: 'stored';
      readonly mark: number;
      readonly previousMark: number;
      readonly finished: readonly StoredResult[];
    }
  | { readonly kind: 'gap'; readonly mark: number }
  | { readonly kind: 'refused' };

// One statement is one transaction: it locks the nodes and marks of its batches (in one order, so that replicas never
// deadlock), refuses what may not be stored, drops what is not above the mark, ends the node tasks and moves the
// marks. A row that finds its task already ended goes to superseded_results, the first such row; one without a task is dropped.
// Planned once for any number of rows (storage.ts), so each row has to be looked up by its id and by nothing else: with
// `id = ANY($9)` beside it a thousand rows were compared with a thousand ids each and took 3 s (2026-11).
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

// Whether what came again is stored already: nothing is locked, so nothing is written and no disk waited for.
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
 * Stores batches of different lanes, at most one of each (node, epoch, lane), in one transaction; one outcome each.
 * A batch of a node or epoch that does not exist is refused. Rows that their kind stores itself make it a transaction of
 * more than one statement; everybody else's are done with in one round trip.
 */
export async function storeBatches(db: Knex, batches: readonly StoreBatch[]): Promise<StoreOutcome[]> {
  if (batches.every(({ rows }) => rows.every(isTaskRow))) return moveMarks(db, batches);
  const afterwards: AfterCommit[] = [];
  const outcomes = await db.transaction(async (trx) => {
    const moved = await moveMarks(trx, batches);
    for (const [writer, rows] of freshRows(batches, moved)) afterwards.push(await writer.store(trx, rows));
    return moved;
  });
  for (const act of afterwards) act();
  return outcomes;
}

/** Rows of kinds of their own that the marks have just moved past, by who stores them. */
function freshRows(batches: readonly StoreBatch[], outcomes: readonly StoreOutcome[]) {
  const fresh = new Map<RowWriter, { readonly nodeId: string; readonly body: unknown }[]>();
  batches.forEach(({ nodeId, rows }, index) => {
    const outcome = outcomes[index];
    if (outcome?.kind !== 'stored') return;
    for (const row of rows) {
      if (row.writer === null || row.sequence <= outcome.previousMark) continue;
      const ofWriter = fresh.get(row.writer) ?? [];
      fresh.set(row.writer, ofWriter);
      ofWriter.push({ nodeId, body: row.body });
    }
  });
  return fresh;
}

function isTaskRow(row: StoreRow): row is TaskRow {
  return row.writer === null;
}

async function moveMarks(db: Knex, batches: readonly StoreBatch[]): Promise<StoreOutcome[]> {
  const stored = await (batches.every(isQuestion) ? askAll(db, batches) : storeAll(db, batches));
  const byNumber = new Map(stored.map((row) => [row.number, row]));
  return batches.map((batch, index) => toOutcome(batch, byNumber.get(index + 1)));
}

function askAll(db: Knex, batches: readonly StoreBatch[]): Promise<StoredRow[]> {
  return queryPrepared<StoredRow>(db, ASK, columnsOf(batches));
}

function storeAll(db: Knex, batches: readonly StoreBatch[]): Promise<StoredRow[]> {
  const rows = batches.flatMap((batch, index) =>
    batch.rows.filter(isTaskRow).map((row) => ({ row, batch: index + 1 })),
  );
  return queryPrepared<StoredRow>(db, STORE, [
    ...columnsOf(batches),
    batches.map(({ last }) => last),
    rows.map(({ batch }) => batch),
    rows.map(({ row }) => row.sequence),
    rows.map(({ row }) => row.taskId),
    rows.map(({ row }) => row.probeType),
    // JSON escapes control characters, so that one divides the documents: escaped as an array's elements, they cost twice
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
    batches.map(({ first }) => first),
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
  const bySequence = new Map(batch.rows.filter(isTaskRow).map((row) => [row.sequence, row]));
  return finished.flatMap(({ sequence, request_id: requestId, is_late: isLate }) => {
    const row = bySequence.get(sequence);
    return row === undefined ? [] : [{ row, requestId, isLate, finishedAt }];
  });
}

/** Keeps a row that PostgreSQL would not take, so that its number can be passed over. */
export async function insertDeadLetter(
  trx: Knex,
  batch: StoreBatch,
  row: StoreRow,
  error: Error & { code?: string },
): Promise<void> {
  await trx('dead_letters').insert({
    node_id: batch.nodeId,
    epoch: batch.epoch,
    lane: batch.lane,
    sequence: row.sequence,
    code: error.code ?? 'unknown',
    message: error.message.slice(0, 500),
    payload: Buffer.from(row.resultJson),
  });
}

/** Notes numbers the agent dropped; they count as delivered. */
export async function insertSpoolGap(trx: Knex, gap: StoreBatch, reason: string): Promise<void> {
  await trx('spool_gaps').insert({
    node_id: gap.nodeId,
    epoch: gap.epoch,
    lane: gap.lane,
    first: gap.first,
    last: gap.last,
    reason,
  });
}
