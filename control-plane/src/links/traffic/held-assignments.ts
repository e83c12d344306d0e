import { createHash } from 'node:crypto';
import type { AssignmentKey } from '@vantage/shared/monitor-types/assignments-digest.js';

interface Held {
  readonly generation: number;
  /** True if the node is not sent it, because it may not have its secrets. */
  readonly isWithheld: boolean;
}

/**
 * Assignments of a node as its link last read them. Their sum is that of the database as long as no change was missed,
 * and costs one hash for each change: a digest of thousands is not calculated again.
 */
export class HeldAssignments {
  readonly #held: Map<string, Held>;
  #sum: number;

  /** `sum`: that of the keys. `withheld`: monitors whose assignments the node is not sent. */
  constructor(keys: readonly AssignmentKey[] = [], sum = 0, withheld: ReadonlySet<string> = new Set()) {
    this.#held = new Map(
      keys.map(({ monitorId, generation }) => [monitorId, { generation, isWithheld: withheld.has(monitorId) }]),
    );
    this.#sum = sum;
  }

  /** Sum of `keyHash` over all assignments. */
  get sum(): number {
    return this.#sum;
  }

  /** Generation that the node was sent; null if it was sent none. */
  sentGeneration(monitorId: string): number | null {
    const held = this.#held.get(monitorId);
    return held === undefined || held.isWithheld ? null : held.generation;
  }

  /** Notes the assignment of a monitor as it was read; null if the node does not have the monitor. */
  put(monitorId: string, now: Held | null): void {
    const before = this.#held.get(monitorId);
    if (before !== undefined) this.#sum -= keyHash({ monitorId, ...before });
    this.#held.delete(monitorId);
    if (now === null) return;
    this.#held.set(monitorId, now);
    this.#sum += keyHash({ monitorId, ...now });
  }

  /** Monitors whose assignments are not as in these keys, which are all of the node, and those withheld. */
  differencesTo(keys: readonly AssignmentKey[]): string[] {
    const present = new Set(keys.map(({ monitorId }) => monitorId));
    const changed = keys.filter(({ monitorId, generation }) => this.sentGeneration(monitorId) !== generation);
    const gone = [...this.#held.keys()].filter((monitorId) => !present.has(monitorId));
    return [...changed.map(({ monitorId }) => monitorId), ...gone];
  }
}

/**
 * First four bytes of the SHA-256 of an assignment's key: sums of ten thousand are exact numbers.
 * NOTE: KEY_HASH of modules/monitors/definition/assignment-store.ts is the same in SQL.
 */
export function keyHash({ monitorId, generation }: AssignmentKey): number {
  return createHash('sha256').update(`${monitorId} ${generation}`).digest().readUInt32BE(0);
}
