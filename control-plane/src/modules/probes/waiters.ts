import { EventEmitter } from 'node:events';

/** Wakes whoever waits for a task's next result: long polls, event streams. A wake-up is a hint to read again. */
export class Waiters {
  readonly #wakeUps = new EventEmitter();

  constructor() {
    this.#wakeUps.setMaxListeners(0);
  }

  /** Tasks somebody waits for. */
  get size(): number {
    return this.#wakeUps.eventNames().length;
  }

  wake(taskIds: readonly string[]): void {
    for (const id of taskIds) this.#wakeUps.emit(id);
  }

  /** Calls back at every wake-up of the task; returns how to end it. */
  subscribe(taskId: string, listener: () => void): () => void {
    this.#wakeUps.on(taskId, listener);
    return () => this.#wakeUps.off(taskId, listener);
  }
}
