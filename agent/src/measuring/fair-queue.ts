/** Entry that waits for a turn of its caller. */
export interface Waiting {
  readonly caller: string;
}

//   ring of callers, first is next         A: a1 a2 a3      first come, first served within a caller
//                                          B: b1
//   taking a1 sends A behind B             B: b1   A: a2 a3

/** Gives each caller with something waiting one turn after another, however much each of them has waiting. */
export class FairQueue<W extends Waiting> {
  readonly #ring = new Map<string, Set<W>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(waiter: W): boolean {
    return this.#ring.get(waiter.caller)?.has(waiter) ?? false;
  }

  /** A caller that had nothing waiting comes last in the ring. */
  add(waiter: W): void {
    const line = this.#ring.get(waiter.caller);
    if (line === undefined) this.#ring.set(waiter.caller, new Set([waiter]));
    else line.add(waiter);
    this.#size += 1;
  }

  /** The first in turn that may run; null when there is none. */
  next(mayRun: (waiter: W) => boolean): W | null {
    for (const line of this.#ring.values()) {
      for (const waiter of line) if (mayRun(waiter)) return waiter;
    }
    return null;
  }

  /** Removes a waiter whose turn has come: its caller goes to the end of the ring. */
  take(waiter: W): void {
    this.remove(waiter);
    const line = this.#ring.get(waiter.caller);
    if (line === undefined) return;
    this.#ring.delete(waiter.caller);
    this.#ring.set(waiter.caller, line);
  }

  /** Removes a waiter that waits no more; false when it did not wait. */
  remove(waiter: W): boolean {
    const line = this.#ring.get(waiter.caller);
    if (line === undefined || !line.delete(waiter)) return false;
    if (line.size === 0) this.#ring.delete(waiter.caller);
    this.#size -= 1;
    return true;
  }

  /**
   * Entry to remove when the queue is full: the last to arrive of the caller with the most; `newest`'s caller wins a
   * tie.
   */
  surplus(newest: W): W {
    let longest = this.#ring.get(newest.caller) ?? new Set([newest]);
    for (const line of this.#ring.values()) if (line.size > longest.size) longest = line;
    return [...longest].at(-1) ?? newest;
  }
}
