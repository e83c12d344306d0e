import type { Clock } from '@vantage/shared/clock.js';

const REFRESH_MS = 10_000;

/** Checks per second of each node, as of some seconds ago, which is sufficient for choosing among nodes. */
export class NodeLoads {
  #loads: ReadonlyMap<string, number> = new Map();
  readonly #added = new Map<string, number>();
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly options: { readonly read: () => Promise<ReadonlyMap<string, number>>; readonly clock: Clock },
  ) {}

  /** Refreshes the loads if they are old; to be called before placing. */
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

  /** Adds the load of assignments made since. */
  count(nodeIds: readonly string[], load: number): void {
    for (const id of nodeIds) this.#added.set(id, (this.#added.get(id) ?? 0) + load);
  }
}
