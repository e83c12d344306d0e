import type { Clock } from '@vantage/shared/clock.js';
import type { StoredResult } from '../../ingest/index.js';
import type { NewTask, NodeTaskRow, TaskRow } from './store.js';

interface Entry {
  task: TaskRow;
  readonly sinceMs: number;
  bytes: number;
}

const MAX_AGE_MS = 10_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** A task without results, roughly. */
const TASK_BYTES = 2_000;

/**
 * What this replica knows of the tasks it has just made without asking the database: most are read once, within
 * milliseconds of their end, by whoever made them. An entry is the row as the database has it; a change of it that was
 * not made by a result stored here must be told by `forget`. For 10 s, and up to 32 MB.
 */
export class RecentTasks {
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(private readonly clock: Clock) {}

  /** Takes in a task about to be stored, none of whose nodes was refused. */
  add(task: NewTask): void {
    this.#entries.set(task.id, { task: pendingRow(task), sinceMs: this.clock.monotonicMs(), bytes: TASK_BYTES });
    this.#bytes += TASK_BYTES;
    this.#dropOld();
  }

  /** The task as the database has it, or null where only the database knows. */
  find(id: string): TaskRow | null {
    const entry = this.#entries.get(id);
    return entry !== undefined && this.#isFresh(entry) ? entry.task : null;
  }

  /** Takes in results after their commit. */
  finish(results: readonly StoredResult[]): void {
    for (const result of results) {
      const entry = this.#entries.get(result.requestId);
      if (entry === undefined) continue;
      entry.task = withResult(entry.task, result);
      entry.bytes += result.row.resultJson.length;
      this.#bytes += result.row.resultJson.length;
    }
    this.#dropOld();
  }

  /** Something else changed these tasks, or may have. */
  forget(ids: readonly string[]): void {
    for (const id of ids) {
      this.#bytes -= this.#entries.get(id)?.bytes ?? 0;
      this.#entries.delete(id);
    }
  }

  #isFresh({ sinceMs }: Entry): boolean {
    return this.clock.monotonicMs() - sinceMs < MAX_AGE_MS;
  }

  #dropOld(): void {
    for (const [id, entry] of this.#entries) {
      if (this.#isFresh(entry) && this.#bytes <= MAX_BYTES) return;
      this.forget([id]);
    }
  }
}

function pendingRow(task: NewTask): TaskRow {
  return {
    id: task.id,
    user_id: task.userId,
    is_test: task.isTest,
    probe_type: task.probeType,
    target: task.target,
    spec: JSON.parse(task.specJson),
    created_at: task.createdAt,
    node_tasks: task.nodeTasks.map(({ id, nodeId }) => ({
      id,
      node_id: nodeId,
      state: 'pending',
      result: null,
      success: null,
      lost_code: null,
      finished_at: null,
      late: false,
    })),
  };
}

function withResult(task: TaskRow, { row, isLate, finishedAt }: StoredResult): TaskRow {
  const { taskId, result, isSuccess } = row;
  const end = {
    state: 'done',
    result,
    success: isSuccess,
    lost_code: null,
    finished_at: finishedAt,
    late: isLate,
  } as const;
  const nodeTasks = task.node_tasks.map(
    (nodeTask): NodeTaskRow => (nodeTask.id === taskId ? Object.assign({}, nodeTask, end) : nodeTask),
  );
  return Object.assign({}, task, { node_tasks: nodeTasks });
}
