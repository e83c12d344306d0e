import { EventEmitter } from 'node:events';

/** Wakes long polls and event streams that wait for the next result of a task. A wake-up is a hint to read again. */
export class Waiters {
  readonly #wakeUps = new EventEmitter();

  constructor() {
    this.#wakeUps.setMaxListeners(0);
  }

  /** Number of tasks with listeners. */
  get size(): number {
    return this.#wakeUps.eventNames().length;
  }

  wake(taskIds: readonly string[]): void {
    for (const id of taskIds) this.#wakeUps.emit(id);
  }

  /** Calls back at every wake-up of the task; returns a function that ends the subscription. */
  subscribe(taskId: string, listener: () => void): () => void {
    this.#wakeUps.on(taskId, listener);
    return () => this.#wakeUps.off(taskId, listener);
  }
}
