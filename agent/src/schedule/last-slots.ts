/** Monitors that are remembered: twice what a node watches. */
const MAX_MONITORS = 20_000;

/** The last slot time that each monitor had here, also of one that was dropped and may come back within that slot. */
export class LastSlots {
  readonly #slotMs: Map<string, number>;

  constructor(reportedMs: ReadonlyMap<string, number>) {
    this.#slotMs = new Map(reportedMs);
  }

  find(monitorId: string): number | null {
    return this.#slotMs.get(monitorId) ?? null;
  }

  /** Forgets the one that was noted longest ago where there are too many. */
  note(monitorId: string, slotMs: number): void {
    this.#slotMs.delete(monitorId);
    this.#slotMs.set(monitorId, slotMs);
    const [oldest] = this.#slotMs.keys();
    if (this.#slotMs.size > MAX_MONITORS && oldest !== undefined) this.#slotMs.delete(oldest);
  }
}
