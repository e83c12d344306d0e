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
/** Bytes to drop down to, once there are more than that. */
const ROOMY_BYTES = 28 * 1024 * 1024;
const SWEEP_EVERY_MS = 1_000;
/** Approximate size of a task without results, in bytes. */
const TASK_BYTES = 2_000;

/**
 * Cache of the tasks that this replica has just created: most tasks are read once, within milliseconds of their end, by their
 * caller. An entry equals the row in the database; call `forget` after a change that is not a result stored by this replica.
 * Keeps entries for 10 s or a little longer, and at most 32 MB.
 */
export class RecentTasks {
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  #sweptMs = 0;

  constructor(private readonly clock: Clock) {}

  /** Adds a task that is about to be stored, without refused nodes. */
  add(task: NewTask): void {
    this.#entries.set(task.id, { task: pendingRow(task), sinceMs: this.clock.monotonicMs(), bytes: TASK_BYTES });
    this.#bytes += TASK_BYTES;
    this.#dropOld();
  }

  /** The task as the database has it; null if not cached. */
  find(id: string): TaskRow | null {
    const entry = this.#entries.get(id);
    return entry !== undefined && this.#isFresh(entry) ? entry.task : null;
  }

  /** Adds results after their commit. */
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

  /** Drops tasks that may have changed otherwise. */
  forget(ids: readonly string[]): void {
    for (const id of ids) {
      this.#bytes -= this.#entries.get(id)?.bytes ?? 0;
      this.#entries.delete(id);
    }
  }

  #isFresh({ sinceMs }: Entry): boolean {
    return this.clock.monotonicMs() - sinceMs < MAX_AGE_MS;
  }

  /** Many at once: a Map whose first entries are gone has to look for its first one. */
  #dropOld(): void {
    const nowMs = this.clock.monotonicMs();
    const isFull = this.#bytes > MAX_BYTES;
    if (!isFull && nowMs - this.#sweptMs < SWEEP_EVERY_MS) return;
    this.#sweptMs = nowMs;
    const mostBytes = isFull ? ROOMY_BYTES : MAX_BYTES;
    for (const [id, entry] of this.#entries) {
      if (this.#isFresh(entry) && this.#bytes <= mostBytes) return;
      this.forget([id]);
    }
  }
}

function pendingRow(task: NewTask): TaskRow {
  return {
    id: task.id,
    owner_id: task.ownerId,
    is_test: task.isTest,
    is_internal: task.isInternal ?? false,
    shared: task.isShared ?? false,
    shared_body: false,
    probe_type: task.probeType,
    target: task.target,
    spec: task.spec,
    created_at: task.createdAt,
    unfit_nodes: task.unfitNodes ?? null,
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
  return Object.assign({}, task, { node_tasks: nodeTasks, bytes: (task.bytes ?? 0) + row.resultJson.length });
}
