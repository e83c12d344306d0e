/**
 * Shares reads of one key between callers. Callers that ask while a read runs share the next read, which begins after they
 * asked. A thousand streams of one task cost as much as one.
 */
export class SharedReads<T> {
  readonly #running = new Map<string, { readonly current: Promise<T>; next: Promise<T> | null }>();

  constructor(private readonly read: (key: string) => Promise<T>) {}

  /** Number of keys that are being read. */
  get size(): number {
    return this.#running.size;
  }

  /** Result of a read of the key that begins now or later. */
  get(key: string): Promise<T> {
    const running = this.#running.get(key);
    if (running === undefined) return this.#begin(key);
    const begin = () => this.#begin(key);
    running.next ??= running.current.then(begin, begin);
    return running.next;
  }

  #begin(key: string): Promise<T> {
    // async: a read that throws synchronously must fail like any other, or its key would never be read again
    const current = (async () => this.read(key))();
    const entry = { current, next: null };
    this.#running.set(key, entry);
    const end = () => {
      if (entry.next === null) this.#running.delete(key);
    };
    current.then(end, end);
    return current;
  }
}
