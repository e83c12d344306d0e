import type { Knex } from 'knex';
import { queryPrepared } from '../db/prepared.js';

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

/** One checked result. */
export interface StoreRow {
  readonly sequence: number;
  readonly taskId: string;
  readonly probeType: string;
  /** The checked result, and the JSON of it that is stored. */
  readonly result: Record<string, unknown>;
  readonly resultJson: string;
  readonly isSuccess: boolean;
  /** `success` or the error code. */
  readonly outcome: string;
}

/** A result that ended its node task. */
export interface StoredResult {
  readonly row: StoreRow;
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
    SELECT l.node_id, r.* FROM unnest($7::bigint[], $8::bigint[], $9::text[], $10::text[], $11::text[], $12::boolean[])
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
  )
  SELECT l.number, l.mark, l.is_refused, l.first > l.mark + 1 AS is_gap,
         to_json(now()) #>> '{}' AS finished_at,
         (SELECT coalesce(json_agg(json_build_object('sequence', s.sequence, 'request_id', s.task_id, 'is_late', s.late)), '[]')
          FROM stored s WHERE s.batch = l.number) AS finished
  FROM locked l`,
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
 * A batch of a node or epoch that does not exist is refused.
 */
export async function storeBatches(db: Knex, batches: readonly StoreBatch[]): Promise<StoreOutcome[]> {
  const rows = batches.flatMap((batch, index) => batch.rows.map((row) => ({ row, batch: index + 1 })));
  const stored = await queryPrepared<StoredRow>(db, STORE, [
    batches.map(({ nodeId }) => nodeId),
    batches.map(({ sessionId }) => sessionId),
    batches.map(({ epoch }) => epoch),
    batches.map(({ lane }) => lane),
    batches.map(({ first }) => first),
    batches.map(({ last }) => last),
    rows.map(({ batch }) => batch),
    rows.map(({ row }) => row.sequence),
    rows.map(({ row }) => row.taskId),
    rows.map(({ row }) => row.probeType),
    rows.map(({ row }) => row.resultJson),
    rows.map(({ row }) => row.isSuccess),
  ]);
  const byNumber = new Map(stored.map((row) => [row.number, row]));
  return batches.map((batch, index) => toOutcome(batch, byNumber.get(index + 1)));
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
  const bySequence = new Map(batch.rows.map((row) => [row.sequence, row]));
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
