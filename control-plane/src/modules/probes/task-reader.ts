import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { RecentTasks } from './recent-tasks.js';
import { SharedReads } from './shared-reads.js';
import { findTask, type TaskRow } from './store.js';
import type { Waiters } from './waiters.js';

// a wake-up may be lost between replicas: nothing depends on it
const REREAD_MS = 2_000;

/** Whether every node task has its end. */
export function isFinished(task: TaskRow): boolean {
  return task.node_tasks.every((nodeTask) => nodeTask.state !== 'pending');
}

/** Reads tasks, once or again whenever something may have changed. */
export class TaskReader {
  readonly #reads: SharedReads<TaskRow | null>;

  constructor(private readonly options: { db: Knex; waiters: Waiters; recent: RecentTasks; clock: Clock }) {
    this.#reads = new SharedReads((id) => findTask(options.db, id));
  }

  /** The task as the database has it. */
  find(id: string): Promise<TaskRow | null> {
    return this.#reads.get(id);
  }

  /** The task as far as this replica has heard of it: with everything stored here, and what others stored told it. */
  async findHeard(id: string): Promise<TaskRow | null> {
    return this.options.recent.find(id) ?? this.find(id);
  }

  /**
   * The task, then its newest state at every change until it is finished; ends early on abort. The first read comes
   * after subscribing, so that no change falls between the two.
   */
  async *follow(id: string, signal: AbortSignal): AsyncGenerator<TaskRow> {
    const changes = new ChangeSignal(this.options.clock);
    const raise = () => changes.raise();
    const endings = [this.options.waiters.subscribe(id, raise)];
    signal.addEventListener('abort', raise, { once: true });
    try {
      let task = await this.findHeard(id);
      if (task && task.id !== id) {
        // a node task: wake-ups speak of its request
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
}

/** Remembers that something changed until somebody asks. */
class ChangeSignal {
  #isRaised = false;
  #wake: (() => void) | null = null;

  constructor(private readonly clock: Clock) {}

  raise(): void {
    this.#isRaised = true;
    this.#wake?.();
  }

  /** Resolves at the next change, at once when one was missed, with true; with false after `mostMs` without any. */
  async next(mostMs: number): Promise<boolean> {
    if (!this.#isRaised) {
      await new Promise<void>((resolve) => {
        const cancel = this.clock.after(mostMs, resolve);
        this.#wake = () => {
          cancel();
          resolve();
        };
      });
    }
    const isRaised = this.#isRaised;
    this.#isRaised = false;
    this.#wake = null;
    return isRaised;
  }
}
