/** When each packet of a flow left and whether it was answered. */
export class SentLedger {
  readonly #sentAtMs: number[] = [];
  readonly #isAnswered: boolean[] = [];

  /** Packets leave in any order; each index once. */
  markSent(index: number, atMs: number): void {
    this.#sentAtMs[index] = atMs;
  }

  /** Takes one answer to packet `index`; null where no such packet left. */
  settle(index: number, atMs: number): { readonly rttMs: number; readonly isDuplicate: boolean } | null {
    const sentAtMs = this.#sentAtMs[index];
    if (sentAtMs === undefined) return null;
    const isDuplicate = this.#isAnswered[index] === true;
    this.#isAnswered[index] = true;
    // the kernel's clock and ours agree to a few microseconds, and a reply can be quicker than that
    return { rttMs: Math.max(0, atMs - sentAtMs), isDuplicate };
  }
}
