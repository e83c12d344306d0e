import { assignmentsDigest } from '@vantage/shared/monitor-types/assignments-digest.js';
import { MalformedFrameError } from '@vantage/shared/protocol/codec.js';
import type { Assignment } from './assignment.js';

/** Assignments of one node at most, twice what one is given, for those before may still be there; and their texts together. */
const MAX_ASSIGNMENTS = 20_000;
const MAX_SPEC_BYTES = 24 * 2 ** 20;

/** One frame of the control plane about what this node is to watch. */
export interface AssignmentsChange {
  readonly set: readonly Assignment[];
  /** Ids of monitors. */
  readonly dropped: readonly string[];
  /** The first frame of everything there is; what none of its frames names is dropped. */
  readonly begins: boolean;
  /** The last of them. */
  readonly ends: boolean;
}

/** Result of a change. */
export interface AssignmentsOutcome {
  /** New, or of another generation than before. */
  readonly added: readonly Assignment[];
  readonly dropped: readonly string[];
}

//   everything, in frames:  begins ... ends     assignments sent since `begins` are kept, others are dropped at `ends`
//   the link ends between:  nothing is dropped; the next proof's digest differs, and everything comes again

/** Assignments of this node, as the control plane sent them last. */
export class AssignmentTable {
  readonly #assignments = new Map<string, Assignment>();
  #specBytes = 0;
  /** Monitors named since the start of a complete list; null while none is being received. */
  #named: Set<string> | null = null;

  get size(): number {
    return this.#assignments.size;
  }

  find(monitorId: string): Assignment | null {
    return this.#assignments.get(monitorId) ?? null;
  }

  /** Restores the assignments that the previous process had. */
  restore(assignments: readonly Assignment[]): void {
    for (const assignment of assignments) this.#put(assignment);
  }

  /** @throws MalformedFrameError for an end that nothing began, and for more than a node takes */
  take({ set, dropped, begins, ends }: AssignmentsChange): AssignmentsOutcome {
    if (ends && !begins && this.#named === null)
      throw new MalformedFrameError('end of assignments without their beginning');
    const added = set.filter(({ monitorId, generation }) => this.find(monitorId)?.generation !== generation);
    this.#requireRoomFor(added);
    if (begins) this.#named = new Set();
    for (const assignment of added) this.#put(assignment);
    for (const { monitorId } of set) this.#named?.add(monitorId);
    const gone = dropped.filter((monitorId) => this.#remove(monitorId));
    const unnamed = ends ? this.#dropUnnamed() : [];
    return { added, dropped: [...gone, ...unnamed] };
  }

  /** The link ended: the rest of the assignments will not arrive. */
  interrupted(): void {
    this.#named = null;
  }

  /** Removes all assignments. @returns the monitors that were removed */
  clear(): string[] {
    const all = [...this.#assignments.keys()];
    for (const monitorId of all) this.#remove(monitorId);
    return all;
  }

  /** Digest by which both sides compare their assignments. */
  digest(): Uint8Array {
    return assignmentsDigest(this.#assignments.values());
  }

  /** Checks the limits before anything is changed: a refused change must not be half applied. */
  #requireRoomFor(added: readonly Assignment[]): void {
    const isNew = ({ monitorId }: Assignment) => !this.#assignments.has(monitorId);
    const specBytes = added.reduce((sum, { specJson }) => sum + specJson.length, this.#specBytes);
    if (this.size + added.filter(isNew).length > MAX_ASSIGNMENTS || specBytes > MAX_SPEC_BYTES)
      throw new MalformedFrameError('too many assignments');
  }

  #put(assignment: Assignment): void {
    this.#remove(assignment.monitorId);
    this.#assignments.set(assignment.monitorId, assignment);
    this.#specBytes += assignment.specJson.length;
  }

  #remove(monitorId: string): boolean {
    this.#specBytes -= this.#assignments.get(monitorId)?.specJson.length ?? 0;
    return this.#assignments.delete(monitorId);
  }

  #dropUnnamed(): string[] {
    const named = this.#named ?? new Set();
    this.#named = null;
    return [...this.#assignments.keys()].filter((monitorId) => !named.has(monitorId) && this.#remove(monitorId));
  }
}
