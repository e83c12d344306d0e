import type { Clock } from '@vantage/shared/clock.js';
import type { Waiters } from '../../runtime/waiters.js';
import type { RecentTasks } from './recent-tasks.js';
import type { TaskRow } from './store.js';
import { isFinished, REREAD_MS, type TaskReader } from './task-reader.js';

interface TaskWaitsOptions {
  readonly reader: Pick<TaskReader, 'find' | 'findHeard'>;
  readonly recent: RecentTasks;
  readonly waiters: Waiters;
  readonly clock: Clock;
}

/** Longest wait for the end of a task, and what ends it before. */
export interface WaitLimits {
  readonly mostMs: number;
  /** Registers a callback for the end of the request; returns how to call it off. */
  readonly onEnding: (callback: () => void) => () => void;
  /** Throws if the task may not be read; called with each state that is read. */
  readonly check: (task: TaskRow | null) => unknown;
}

/** Requests that wait for the end of a task: one object for each, without a signal or a stream of its states. */
export class TaskWaits {
  constructor(private readonly options: TaskWaitsOptions) {}

  /** The task once it is finished, or its state when the time is over or the request has ended; null if there is no such task. */
  wait(id: string, limits: WaitLimits): Promise<TaskRow | null> {
    return new Promise((resolve, reject) => new TaskWait({ ...this.options, ...limits, id, resolve, reject }).begin());
  }
}

interface TaskWaitParts extends TaskWaitsOptions, WaitLimits {
  readonly id: string;
  readonly resolve: (task: TaskRow | null) => void;
  readonly reject: (error: unknown) => void;
}

/** One request that waits. */
class TaskWait {
  readonly #parts: TaskWaitParts;
  /** How to undo what was begun. */
  readonly #undo: (() => void)[] = [];
  readonly #untilMs: number;
  #task: TaskRow | null = null;
  #cancelTimer: () => void = () => {};
  #isReading = false;
  #isStale = false;
  #isOver = false;
  #isEnding = false;

  constructor(parts: TaskWaitParts) {
    this.#parts = parts;
    this.#untilMs = parts.clock.monotonicMs() + parts.mostMs;
  }

  begin(): void {
    const { id, recent, waiters, onEnding } = this.#parts;
    const heard = recent.find(id);
    if (heard !== null) this.#take(heard);
    if (this.#isOver) return;
    // before the first read, so that no change is missed in between
    this.#undo.push(waiters.subscribe(id, this.#look), onEnding(this.#endSoon));
    this.#rearm();
    if (heard === null) this.#look();
  }

  /** With the state that is known; one that has not been read yet is waited for: without it the task would seem to be unknown. */
  readonly #endSoon = (): void => {
    this.#isEnding = true;
    if (this.#task !== null) this.#end(this.#task);
  };

  /** Reads the newest state. */
  readonly #look = (): void => {
    const heard = this.#parts.recent.find(this.#parts.id);
    if (heard !== null) return this.#take(heard);
    this.#isStale = true;
    if (!this.#isReading) void this.#read();
  };

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#isStale && !this.#isOver) {
        this.#isStale = false;
        this.#take(await this.#parts.reader.findHeard(this.#parts.id));
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#isReading = false;
  }

  #take(task: TaskRow | null): void {
    if (this.#isOver) return;
    const { id, check, waiters } = this.#parts;
    try {
      check(task);
    } catch (error) {
      return this.#fail(error);
    }
    const isFirst = this.#task === null;
    this.#task = task;
    if (task === null || isFinished(task) || this.#isEnding) return this.#end(task);
    if (!isFirst || task.id === id) return;
    // a node task: wake-ups name its task, which may have ended before this subscription
    this.#undo.push(waiters.subscribe(task.id, this.#look));
    this.#look();
  }

  #rearm(): void {
    const { clock } = this.#parts;
    const leftMs = Math.max(0, this.#untilMs - clock.monotonicMs());
    this.#cancelTimer = clock.after(Math.min(REREAD_MS, leftMs), () => this.#ring(leftMs <= REREAD_MS));
  }

  /** A wake-up may have been lost: the database is asked. */
  #ring(isLast: boolean): void {
    const { id, reader, recent } = this.#parts;
    if (!isLast) {
      recent.forget([id]);
      this.#rearm();
      return this.#look();
    }
    reader.find(id).then(
      (task) => this.#end(task),
      (error: unknown) => this.#fail(error),
    );
  }

  #end(task: TaskRow | null): void {
    this.#clear();
    this.#parts.resolve(task);
  }

  #fail(error: unknown): void {
    this.#clear();
    this.#parts.reject(error);
  }

  #clear(): void {
    this.#isOver = true;
    this.#cancelTimer();
    for (const undo of this.#undo.splice(0)) undo();
  }
}
