/**
 * Joins those who read one thing at once: who asks while a read runs gets the next one, which begins after they asked,
 * together with everybody else who asked meanwhile. A thousand streams of one task cost what one does.
 */
export class SharedReads<T> {
  readonly #running = new Map<string, { readonly current: Promise<T>; next: Promise<T> | null }>();

  constructor(private readonly read: (key: string) => Promise<T>) {}

  /** Keys that are being read. */
  get size(): number {
    return this.#running.size;
  }

  /** What `read` answers for the key, as it is now or later. */
  get(key: string): Promise<T> {
    const running = this.#running.get(key);
    if (running === undefined) return this.#begin(key);
    const begin = () => this.#begin(key);
    running.next ??= running.current.then(begin, begin);
    return running.next;
  }

  #begin(key: string): Promise<T> {
    // async: what a read throws at once must fail it like any other, or its key would never be read again
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
