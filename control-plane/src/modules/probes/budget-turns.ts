import { isUnavailable } from '../../db/unavailable.js';
import { TARGET_BURST } from './target-budget.js';

/** Those who asked for one key and have no answer yet; `last` resolves with the error the last of them ended by, if any. */
interface Queue {
  waiting: number;
  last: Promise<unknown>;
}

/**
 * Lets one request of this process at a time work on the budget of a target. In the database they would wait for one
 * another's rows, each with a connection in its hands, until nobody else got one.
 */
export class BudgetTurns {
  readonly #queues = new Map<string, Queue>();

  /** Keys somebody works on or waits for. */
  get size(): number {
    return this.#queues.size;
  }

  /** Whether more wait for one of the keys than a full bucket could serve: who comes now will be refused anyway. */
  isFull(keys: readonly string[]): boolean {
    return keys.some((key) => (this.#queues.get(key)?.waiting ?? 0) >= TARGET_BURST);
  }

  /**
   * Runs `work` when everybody before has finished who asked for one of the keys. Who finds the database unavailable
   * speaks for those behind as well: one after the other they would wait as long as the first did.
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
