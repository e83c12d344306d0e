import type { Clock } from '@vantage/shared/clock.js';

const REFRESH_MS = 10_000;

/** How many checks a second each node has to make, as of some seconds ago: for choosing among nodes it is good enough. */
export class NodeLoads {
  #loads: ReadonlyMap<string, number> = new Map();
  readonly #added = new Map<string, number>();
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly options: { readonly read: () => Promise<ReadonlyMap<string, number>>; readonly clock: Clock },
  ) {}

  /** Reads them again when what is known is old; to be called before placing. */
  async refresh(): Promise<void> {
    const { read, clock } = this.options;
    if (clock.monotonicMs() - this.#readMs < REFRESH_MS) return;
    this.#loads = await read();
    this.#added.clear();
    this.#readMs = clock.monotonicMs();
  }

  of(nodeId: string): number {
    return (this.#loads.get(nodeId) ?? 0) + (this.#added.get(nodeId) ?? 0);
  }

  /** Counts what was given since. */
  count(nodeIds: readonly string[], load: number): void {
    for (const id of nodeIds) this.#added.set(id, (this.#added.get(id) ?? 0) + load);
  }
}
