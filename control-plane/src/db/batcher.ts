import { afterInput, type Clock, systemClock } from '@vantage/shared/clock.js';

//   add ──► queue ──(idle: when this turn's input is read | busy: when the running flush ends)──► flush(≤ maxItems) ──► each item's promise
//
// One flush at a time. No timer: an item that finds the writer idle is written when the event loop has read what has
// arrived so far, together with all that this brings, and items that arrive meanwhile form the next batch, so batches
// grow exactly as fast as the writer is slow. With `turnOf` a batch has one item of each producer, or those that `joins`
// joins, so a producer of a thousand items delays no other.

interface Waiting<T, R> {
  readonly item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

export interface BatcherOptions<T, R> {
  /** Items in one batch at most. */
  readonly maxItems: number;
  /**
   * Name of the producer of an item: a batch has one item of each, those of one producer in their order. Absent:
   * producers take no turns.
   */
  readonly turnOf?: (item: T) => string;
  /**
   * True if `next` is written together with the items from `first` to `previous` of the same producer, and counts as
   * one with them.
   */
  readonly joins?: (first: T, previous: T, next: T) => boolean;
  /**
   * Writes a batch in order and resolves with one result per item, in the same order. A rejection fails these items
   * only. `turns`: the same items, grouped as `joins` joined them.
   */
  flush(items: readonly T[], turns: readonly (readonly [T, ...T[]])[]): Promise<readonly R[]>;
  /** Reports when the input of this turn has been read. Default: that of the machine. */
  readonly clock?: Pick<Clock, 'afterInput'>;
}

/** Gathers items into batches for one writer, in the order they were added, or in turns. */
export class Batcher<T, R> {
  readonly #options: BatcherOptions<T, R>;
  readonly #clock: Pick<Clock, 'afterInput'>;
  /** Items by producer; without turns each item has its own. */
  readonly #queues = new Map<unknown, Waiting<T, R>[]>();
  #queued = 0;
  #isWriting = false;
  #written: Promise<void> = Promise.resolve();

  constructor(options: BatcherOptions<T, R>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Items not yet handed to the writer. */
  get queued(): number {
    return this.#queued;
  }

  /** Resolves with the item's own result once its batch is written; rejects when that batch failed. */
  add(item: T): Promise<R> {
    const result = new Promise<R>((resolve, reject) => {
      this.#append({ item, resolve, reject });
    });
    if (!this.#isWriting) {
      this.#isWriting = true;
      this.#written = afterInput(this.#clock).then(() => this.#writeAll());
    }
    return result;
  }

  /** Resolves when everything added so far, and while waiting, has been written or has failed. */
  async drain(): Promise<void> {
    while (this.#isWriting) await this.#written;
  }

  async #writeAll(): Promise<void> {
    while (this.#queued > 0) await this.#writeBatch(this.#take());
    this.#isWriting = false;
  }

  #append(waiting: Waiting<T, R>): void {
    const who = this.#options.turnOf?.(waiting.item) ?? waiting;
    const queue = this.#queues.get(who);
    if (queue === undefined) this.#queues.set(who, [waiting]);
    else queue.push(waiting);
    this.#queued += 1;
  }

  /** One turn of each producer, as many as fit; a producer with more comes last next time. */
  #take(): Waiting<T, R>[][] {
    const taken: Waiting<T, R>[][] = [];
    for (const [who, queue] of firstOf(this.#queues, this.#options.maxItems)) {
      taken.push(queue.splice(0, this.#turnLength(queue)));
      this.#queues.delete(who);
      if (queue.length > 0) this.#queues.set(who, queue);
    }
    this.#queued -= taken.flat().length;
    return taken;
  }

  #turnLength(queue: readonly Waiting<T, R>[]): number {
    const { joins } = this.#options;
    const apart = queue.findIndex(({ item }, index) => {
      const [first, previous] = [queue[0], queue[index - 1]];
      return first && previous ? !joins?.(first.item, previous.item, item) : false;
    });
    return apart < 0 ? queue.length : apart;
  }

  async #writeBatch(turns: readonly (readonly Waiting<T, R>[])[]): Promise<void> {
    const batch = turns.flat();
    try {
      const items = batch.map(({ item }) => item);
      const results = await this.#options.flush(
        items,
        turns.map((turn) => turn.map(({ item }) => item) as [T, ...T[]]),
      );
      if (results.length !== batch.length) {
        throw new RangeError(`flush returned ${results.length} results for ${batch.length} items`);
      }
      batch.forEach((waiting, index) => waiting.resolve(results[index] as R));
    } catch (error) {
      for (const waiting of batch) waiting.reject(error);
    }
  }
}

function firstOf<T>(items: Iterable<T>, count: number): T[] {
  const first: T[] = [];
  for (const item of items) {
    if (first.length === count) break;
    first.push(item);
  }
  return first;
}
