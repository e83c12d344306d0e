const MAX_LENGTH = 200;

/** Taken names of an account, including those of the running import; `T`: holder of a name. */
export class NameBook<T> {
  readonly #taken: Map<string, T>;
  /** Next number to try for names that were requested before. */
  readonly #next = new Map<string, number>();

  constructor(taken: Iterable<readonly [name: string, by: T]>) {
    this.#taken = new Map(taken);
  }

  /** Holder of a name; null if the name is free. */
  find(name: string): T | null {
    return this.#taken.get(name) ?? null;
  }

  take(name: string, by: T): void {
    this.#taken.set(name, by);
  }

  /** First free name of `name (2)`, `name (3)`, …. */
  freeOf(name: string): string {
    for (let number = this.#next.get(name) ?? 2; ; number += 1) {
      const end = ` (${number})`;
      // a cut may leave half of a surrogate pair
      const free = `${name.slice(0, MAX_LENGTH - end.length).replace(/\p{Surrogate}$/u, '')}${end}`;
      if (this.#taken.has(free)) continue;
      this.#next.set(name, number + 1);
      return free;
    }
  }
}
