import { isUnavailable } from '../../db/unavailable.js';
import { TARGET_BURST } from './target-budget.js';

/** Unfinished requests for one key. `last` resolves with the error of the newest request; null if it succeeded. */
interface Queue {
  waiting: number;
  last: Promise<unknown>;
}

/**
 * Lets one request of this process at a time work on the budget of a target. In the database they would wait for each
 * other's rows, each of them with a connection, until no connection is left.
 */
export class BudgetTurns {
  readonly #queues = new Map<string, Queue>();

  /** Number of keys with unfinished requests. */
  get size(): number {
    return this.#queues.size;
  }

  /** True if more requests wait for one of the keys than a full bucket can serve, so that a further one would be refused. */
  isFull(keys: readonly string[]): boolean {
    return keys.some((key) => (this.#queues.get(key)?.waiting ?? 0) >= TARGET_BURST);
  }

  /**
   * Runs `work` after all earlier requests for any of the keys. A request that finds the database unavailable fails those that
   * wait behind it as well: one after another, each would wait as long as the first.
   */
  async run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const queues = keys.map((key) => this.#queueOf(key));
    const turn = Promise.all(queues.map(({ last }) => last)).then((endings) => {
      const failure = endings.find(isUnavailable);
      if (failure !== undefined) throw failure;
      return work();
    });
    const ending = turn.then(
      () => null,
      (error: unknown) => error,
    );
    for (const queue of queues) {
      queue.waiting += 1;
      queue.last = ending;
    }
    try {
      return await turn;
    } finally {
      for (const queue of queues) queue.waiting -= 1;
      for (const key of keys) if (this.#queues.get(key)?.waiting === 0) this.#queues.delete(key);
    }
  }

  #queueOf(key: string): Queue {
    const queue = this.#queues.get(key) ?? { waiting: 0, last: Promise.resolve() };
    this.#queues.set(key, queue);
    return queue;
  }
}
