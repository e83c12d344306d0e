interface Entry<T> {
  readonly dueMs: number;
  readonly item: T;
}

//          3            entries[0] is the first; the children of i are 2i + 1 and 2i + 2, none before its parent
//        5   4
//       9 6 8

/** Heap of entries by due time, earliest first: adding and taking cost the logarithm of the size. */
export class DueHeap<T> {
  readonly #entries: Entry<T>[] = [];

  get size(): number {
    return this.#entries.length;
  }

  /** The first; null when it is empty. */
  get first(): Entry<T> | null {
    return this.#entries[0] ?? null;
  }

  add(dueMs: number, item: T): void {
    const entry = { dueMs, item };
    let at = this.#entries.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = this.#entry(parent);
      if (above.dueMs <= dueMs) break;
      this.#entries[at] = above;
      at = parent;
    }
    this.#entries[at] = entry;
  }

  /** Removes and returns the first entry. */
  pop(): Entry<T> | null {
    const first = this.first;
    const last = this.#entries.pop();
    if (last !== undefined && this.#entries.length > 0) this.#sink(last);
    return first;
  }

  clear(): void {
    this.#entries.length = 0;
  }

  #sink(entry: Entry<T>): void {
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= this.#entries.length) break;
      const right = left + 1;
      const isRightFirst = right < this.#entries.length && this.#entry(right).dueMs < this.#entry(left).dueMs;
      const child = isRightFirst ? right : left;
      if (this.#entry(child).dueMs >= entry.dueMs) break;
      this.#entries[at] = this.#entry(child);
      at = child;
    }
    this.#entries[at] = entry;
  }

  #entry(at: number): Entry<T> {
    const entry = this.#entries[at];
    if (entry === undefined) throw new RangeError(`no entry ${at} in a heap of ${this.#entries.length}`);
    return entry;
  }
}
