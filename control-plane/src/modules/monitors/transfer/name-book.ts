const MAX_LENGTH = 200;

/** Which names of an account are taken, an import's own among them; `T`: by what. */
export class NameBook<T> {
  readonly #taken: Map<string, T>;
  /** Of names that were asked for before: the number to go on with. */
  readonly #next = new Map<string, number>();

  constructor(taken: Iterable<readonly [name: string, by: T]>) {
    this.#taken = new Map(taken);
  }

  /** By what a name is taken; null: it is free. */
  find(name: string): T | null {
    return this.#taken.get(name) ?? null;
  }

  take(name: string, by: T): void {
    this.#taken.set(name, by);
  }

  /** The first of `name (2)`, `name (3)`, … that is free. */
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
