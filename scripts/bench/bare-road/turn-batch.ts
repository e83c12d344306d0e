/**
 * Collects items until the end of a turn of the event loop, or of the batch that is being written, and hands them over
 * together.
 */
export class TurnBatch<T> {
  #items: T[] = [];
  #isBusy = false;

  constructor(private readonly write: (items: T[]) => unknown) {}

  add(item: T): void {
    this.#items.push(item);
    if (this.#isBusy) return;
    this.#isBusy = true;
    setImmediate(() => void this.#writeAll());
  }

  async #writeAll(): Promise<void> {
    while (this.#items.length > 0) {
      const items = this.#items;
      this.#items = [];
      await this.write(items);
    }
    this.#isBusy = false;
  }
}
