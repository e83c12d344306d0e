import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
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

  constructor(private readonly options: { db: Knex; waiters: Waiters; clock: Clock }) {
    this.#reads = new SharedReads((id) => findTask(options.db, id));
  }

  find(id: string): Promise<TaskRow | null> {
    return this.#reads.get(id);
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
      let task = await this.find(id);
      if (task && task.id !== id) {
        // a node task: wake-ups speak of its request
        endings.push(this.options.waiters.subscribe(task.id, raise));
        task = await this.find(id);
      }
      while (task) {
        yield task;
        if (isFinished(task) || signal.aborted) return;
        await changes.next(REREAD_MS);
        if (signal.aborted) return;
        task = await this.find(id);
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

  /** Resolves at the next change, at once when one was missed, after `mostMs` at the latest. */
  async next(mostMs: number): Promise<void> {
    if (!this.#isRaised) {
      await new Promise<void>((resolve) => {
        const cancel = this.clock.after(mostMs, resolve);
        this.#wake = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#isRaised = false;
    this.#wake = null;
  }
}
