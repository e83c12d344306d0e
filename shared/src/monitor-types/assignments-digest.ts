import { createHash } from 'node:crypto';

// Separate from the schemas, which take megabytes: the main process of an agent needs only this.

/** Monitor and generation of an assignment. */
export interface AssignmentKey {
  readonly monitorId: string;
  readonly generation: number;
}

/** SHA-256 of the assignments of a node, in any order; empty without assignments. Both sides compare it on connect. */
export function assignmentsDigest(assignments: Iterable<AssignmentKey>): Buffer {
  const lines = [...assignments].map(({ monitorId, generation }) => `${monitorId} ${generation}\n`).sort();
  if (lines.length === 0) return Buffer.alloc(0);
  return createHash('sha256').update(lines.join('')).digest();
}
