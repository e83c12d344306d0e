import { firstOf, rowsOf } from 'vantage-control/ingest/batch.js';
import type {
  OwnRow,
  RowBatch,
  StoreBatch,
  StoredResult,
  StoreOutcome,
  StoreRow,
  TaskResultRow,
} from 'vantage-control/ingest/index.js';
import { isReading } from '../reading-kind.js';
import { markKey } from './link-model.js';
import { storeSlots } from './slots-model.js';
import type { NodeTaskRow, Tables } from './tables.js';

// NOTE: models the SQL of control-plane/src/ingest/store.ts; model.test.ts compares them. A statement sees the database
// as it was when it began: no batch of it sees changes of another.

const LATE_MS = 10 * 60_000;

/** storeBatches */
export function storeBatches(tables: Tables, batches: readonly StoreBatch[], nowMs: number): StoreOutcome[] {
  return batches.map((batch) => {
    const node = tables.nodes.get(batch.nodeId);
    const key = markKey(batch.nodeId, batch.epoch, batch.lane);
    const mark = tables.marks.get(key);
    if (node === undefined || mark === undefined) return { kind: 'refused' };
    const isBanned = node.bannedAt !== null || node.quarantinedAt !== null;
    if (isBanned || node.sessionId !== batch.sessionId) return { kind: 'refused' };
    if (firstOf(batch) > mark + 1) return { kind: 'gap', mark };
    const fresh = rowsOf(batch).filter(({ sequence }) => sequence > mark);
    const finished = fresh.flatMap((row) => storeRow(tables, batch.nodeId, row, nowMs) ?? []);
    storeSlots(tables, batch.nodeId, fresh, nowMs);
    if (batch.last > mark) tables.marks.set(key, batch.last);
    return { kind: 'stored', mark: Math.max(mark, batch.last), previousMark: mark, finished };
  });
}

/** storeGap */
export function storeGap(tables: Tables, gap: RowBatch, reason: string, nowMs: number): StoreOutcome {
  const [outcome] = storeBatches(tables, [gap], nowMs);
  if (outcome?.kind === 'stored' && outcome.previousMark < gap.last) {
    const { nodeId, epoch, lane, first, last } = gap;
    tables.gaps = [...tables.gaps, { nodeId, epoch: epoch.toString('hex'), lane, first, last, reason }];
  }
  return outcome ?? { kind: 'refused' };
}

function storeRow(tables: Tables, nodeId: string, row: StoreRow, nowMs: number): StoredResult | null {
  return row.writer === null ? storeTask(tables, nodeId, row, nowMs) : storeReading(tables, nodeId, row, nowMs);
}

function storeReading(tables: Tables, nodeId: string, { body }: OwnRow, nowMs: number): null {
  if (!isReading(body)) return null;
  tables.readings = [...tables.readings, { nodeId, subject: body.subject, storedAt: nowMs }];
  return null;
}

function storeTask(tables: Tables, nodeId: string, row: TaskResultRow, nowMs: number): StoredResult | null {
  const task = tables.nodeTasks.get(row.taskId);
  if (task === undefined || task.nodeId !== nodeId) return null;
  if (task.probeType !== row.probeType || !isOpen(task, nowMs)) {
    if (!tables.superseded.has(task.id)) tables.superseded.set(task.id, { nodeId, storedAt: nowMs });
    return null;
  }
  const isLate = task.state === 'lost';
  tables.nodeTasks.set(task.id, { ...task, state: 'done', isLate, finishedAt: nowMs, lostCode: null });
  return { row, requestId: task.requestId, isLate, finishedAt: new Date(nowMs).toISOString() };
}

/** A real result replaces what was given up not too long ago. */
function isOpen(task: NodeTaskRow, nowMs: number): boolean {
  return task.state === 'pending' || (task.state === 'lost' && (task.finishedAt ?? 0) > nowMs - LATE_MS);
}
