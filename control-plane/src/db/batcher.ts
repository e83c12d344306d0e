//   add ──► queue ──(idle: at once | busy: when the running flush ends)──► flush(≤ maxItems) ──► each item's promise
//
// One flush at a time. No timer: an item that finds nobody writing is written at once, and what arrives meanwhile
// forms the next batch, so batches grow exactly as fast as the writer is slow.

interface Waiting<T, R> {
  readonly item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

export interface BatcherOptions<T, R> {
  /** Items in one batch at most. */
  readonly maxItems: number;
  /** Writes a batch in order and answers one result per item, in the same order. A rejection fails these items only. */
  flush(items: readonly T[]): Promise<readonly R[]>;
}

/** Gathers items into batches for one writer, in the order they were added. */
export class Batcher<T, R> {
  readonly #options: BatcherOptions<T, R>;
  #queue: Waiting<T, R>[] = [];
  #isWriting = false;
  #written: Promise<void> = Promise.resolve();

  constructor(options: BatcherOptions<T, R>) {
    this.#options = options;
  }

  /** Items not yet handed to the writer. */
  get queued(): number {
    return this.#queue.length;
  }

  /** Resolves with the item's own result once its batch is written; rejects when that batch failed. */
  add(item: T): Promise<R> {
    const result = new Promise<R>((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
    });
    if (!this.#isWriting) {
      this.#isWriting = true;
      this.#written = this.#writeAll();
    }
    return result;
  }

  /** Resolves when everything added so far, and while waiting, has been written or has failed. */
  async drain(): Promise<void> {
    while (this.#isWriting) await this.#written;
  }

  async #writeAll(): Promise<void> {
    while (this.#queue.length > 0) await this.#writeBatch(this.#queue.splice(0, this.#options.maxItems));
    this.#isWriting = false;
  }

  async #writeBatch(batch: readonly Waiting<T, R>[]): Promise<void> {
    try {
      const results = await this.#options.flush(batch.map(({ item }) => item));
      if (results.length !== batch.length) {
        throw new RangeError(`flush answered ${results.length} results for ${batch.length} items`);
      }
      batch.forEach((waiting, index) => waiting.resolve(results[index] as R));
    } catch (error) {
      for (const waiting of batch) waiting.reject(error);
    }
  }
}
