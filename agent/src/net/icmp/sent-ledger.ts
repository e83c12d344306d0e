/** Departure time of each packet of a flow, and if it was answered. */
export class SentLedger {
  readonly #sentAtMs: number[] = [];
  readonly #isAnswered: boolean[] = [];

  /** Packets leave in any order; each index once. */
  markSent(index: number, atMs: number): void {
    this.#sentAtMs[index] = atMs;
  }

  /** Records an answer to packet `index`; null where no such packet was sent. */
  settle(index: number, atMs: number): { readonly rttMs: number; readonly isDuplicate: boolean } | null {
    const sentAtMs = this.#sentAtMs[index];
    if (sentAtMs === undefined) return null;
    const isDuplicate = this.#isAnswered[index] === true;
    this.#isAnswered[index] = true;
    // the clocks of the kernel and of this process differ by a few microseconds, and a reply can arrive in less
    return { rttMs: Math.max(0, atMs - sentAtMs), isDuplicate };
  }
}
