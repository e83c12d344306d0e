import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { ChangeSignal } from '../../runtime/change-signal.js';
import { SharedReads } from '../../runtime/shared-reads.js';
import type { Waiters } from '../../runtime/waiters.js';
import { LargeTasks } from './large-tasks.js';
import type { RecentTasks } from './recent-tasks.js';
import { findTask, isUnchanged, type TaskRow } from './store.js';

/** Interval of reads without a wake-up: one may be lost between replicas. */
export const REREAD_MS = 2_000;

/** True if every node task has ended. */
export function isFinished(task: TaskRow): boolean {
  return task.node_tasks.every((nodeTask) => nodeTask.state !== 'pending');
}

/** Reads tasks, once or at every change. */
export class TaskReader {
  readonly #reads: SharedReads<TaskRow | null>;
  readonly #large = new LargeTasks();

  constructor(private readonly options: { db: Knex; waiters: Waiters; recent: RecentTasks; clock: Clock }) {
    this.#reads = new SharedReads((id) => this.#read(id));
  }

  /** The task as the database has it; a large one is the same object as long as it does not change. */
  find(id: string): Promise<TaskRow | null> {
    return this.#reads.get(id);
  }

  /** The task as far as this replica knows it: with results stored by this replica, and those that other replicas announced. */
  async findHeard(id: string): Promise<TaskRow | null> {
    return this.options.recent.find(id) ?? this.find(id);
  }

  /**
   * Yields the task, then its newest state at every change until it is finished; ends early on abort. Subscribes before the
   * first read, so that no change is missed in between.
   */
  async *follow(id: string, signal: AbortSignal): AsyncGenerator<TaskRow> {
    const changes = new ChangeSignal(this.options.clock);
    const raise = () => changes.raise();
    const endings = [this.options.waiters.subscribe(id, raise)];
    signal.addEventListener('abort', raise, { once: true });
    try {
      let task = await this.findHeard(id);
      if (task && task.id !== id) {
        // a node task: wake-ups name its task
        endings.push(this.options.waiters.subscribe(task.id, raise));
        task = await this.find(id);
      }
      while (task) {
        yield task;
        if (isFinished(task) || signal.aborted) return;
        const isWoken = await changes.next(REREAD_MS);
        if (signal.aborted) return;
        if (!isWoken) this.options.recent.forget([id]);
        task = await this.findHeard(id);
      }
    } finally {
      for (const end of endings) end();
      signal.removeEventListener('abort', raise);
    }
  }

  async #read(id: string): Promise<TaskRow | null> {
    const { db } = this.options;
    const kept = this.#large.find(id);
    const isKept = kept !== null && (await isUnchanged(db, kept));
    const task = isKept ? kept : await findTask(db, id);
    this.#large.put(id, task);
    return task;
  }
}
