import { createHash } from 'node:crypto';

// Apart from the schemas: an agent's main process needs this alone, and they are megabytes.

/** Which assignment a node has of a monitor. */
export interface AssignmentKey {
  readonly monitorId: string;
  readonly generation: number;
}

/** SHA-256 of what a node is to watch, in whatever order; empty when it is nothing. Both sides compare it on connect. */
export function assignmentsDigest(assignments: Iterable<AssignmentKey>): Buffer {
  const lines = [...assignments].map(({ monitorId, generation }) => `${monitorId} ${generation}\n`).sort();
  if (lines.length === 0) return Buffer.alloc(0);
  return createHash('sha256').update(lines.join('')).digest();
}
