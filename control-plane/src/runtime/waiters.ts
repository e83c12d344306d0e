import { EventEmitter } from 'node:events';

/** Wakes long polls and event streams that wait for changes of something with an id: a task, a report. A wake-up is a hint to read again. */
export class Waiters {
  readonly #wakeUps = new EventEmitter();

  constructor() {
    this.#wakeUps.setMaxListeners(0);
  }

  /** Number of ids with listeners. */
  get size(): number {
    return this.#wakeUps.eventNames().length;
  }

  wake(ids: readonly string[]): void {
    for (const id of ids) this.#wakeUps.emit(id);
  }

  /** Calls back at every wake-up of the id; returns a function that ends the subscription. */
  subscribe(id: string, listener: () => void): () => void {
    this.#wakeUps.on(id, listener);
    return () => this.#wakeUps.off(id, listener);
  }
}
