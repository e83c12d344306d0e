import type { SeededRandom } from '../seeded-random.js';

/** Two directions of one agent's way to the control planes. */
export type Direction = 'up' | 'down';

/** State of the path between an agent and the control planes. */
export class Way {
  /** One direction, milliseconds, and what a message may take beyond that. */
  latencyMs = 20;
  jitterMs = 5;
  /** Bytes a second; nothing is slower than what it waits for. */
  bytesPerSecond = Number.POSITIVE_INFINITY;
  /** True if nothing gets through; data sent meanwhile waits, as TCP sends it again. */
  readonly isBlocked: Record<Direction, boolean> = { up: false, down: false };
  readonly #waiting = new Set<() => void>();

  constructor(readonly random: SeededRandom) {}

  block(...directions: readonly Direction[]): void {
    for (const direction of directions) this.isBlocked[direction] = true;
  }

  unblock(): void {
    this.isBlocked.up = false;
    this.isBlocked.down = false;
    for (const listener of Array.from(this.#waiting)) listener();
  }

  /** Calls back whenever something may get through again. */
  onUnblocked(listener: () => void): () => void {
    this.#waiting.add(listener);
    return () => this.#waiting.delete(listener);
  }
}
