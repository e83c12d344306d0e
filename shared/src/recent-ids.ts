/**
 * The newest ids, at least `least` and at most twice as many. They go a generation at a time: a Set whose oldest entries
 * go one by one has to step over the places of all that have gone before.
 */
export class RecentIds {
  #newest = new Set<string>();
  #before: ReadonlySet<string> = new Set();

  constructor(private readonly least: number) {}

  has(id: string): boolean {
    return this.#newest.has(id) || this.#before.has(id);
  }

  add(id: string): void {
    this.#newest.add(id);
    if (this.#newest.size < this.least) return;
    this.#before = this.#newest;
    this.#newest = new Set();
  }
}
